import Foundation

/// A report for machines. Every key is always there, in the order of the alphabet; what is not known is null.
enum JSON: Encodable {
    case object([String: JSON])
    case array([JSON])
    case string(String)
    case integer(UInt64)
    case number(Double)
    case bool(Bool)
    case null

    init(_ text: String?) { self = text.map { .string($0) } ?? .null }
    init(_ number: UInt64?) { self = number.map { .integer($0) } ?? .null }
    init(_ number: Int?) { self.init(number.map { UInt64($0) }) }

    /// Pretty-printed, ending in a newline.
    var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .object(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .null: try container.encodeNil()
        }
    }
}

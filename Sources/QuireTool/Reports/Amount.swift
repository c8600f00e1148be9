import Foundation

/// Numbers as people read them, the same in every locale.
enum Amount {
    /// `1,234,567`
    static func grouped(_ number: UInt64) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// `1.2 MiB`, and below 1,024 `17 bytes`.
    static func short(_ byteCount: UInt64) -> String {
        guard byteCount >= 1024 else { return byteCount == 1 ? "1 byte" : "\(byteCount) bytes" }
        var value = Double(byteCount)
        var unit = "bytes"
        for next in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] where value >= 1024 {
            value /= 1024
            unit = next
        }
        let text = oneDecimal(value)
        return "\(text.hasSuffix(".0") ? text.dropLast(2) : text[...]) \(unit)"
    }

    /// `1,234,567 bytes (1.2 MiB)`
    static func exact(_ byteCount: UInt64) -> String {
        guard byteCount >= 1024 else { return short(byteCount) }
        return "\(grouped(byteCount)) bytes (\(short(byteCount)))"
    }

    /// `12.3 %`; the whole is not 0.
    static func percent(_ part: UInt64, of whole: UInt64) -> String {
        "\(oneDecimal(Double(part) / Double(whole) * 100)) %"
    }

    /// `156 blocks`, `1 block`
    static func count(_ number: Int, _ noun: String) -> String {
        "\(grouped(UInt64(number))) \(noun)\(number == 1 ? "" : "s")"
    }

    /// `2026-03-01T09:30:00.250Z`
    static func time(_ date: Date) -> String {
        // A date is a Double of seconds: rounding it to milliseconds here gives back those of the footer.
        let limit = 253_402_300_799_999.0  // the end of the year 9999
        let milliseconds = Int64(
            min(max((date.timeIntervalSince1970 * 1000).rounded(), -limit), limit))
        let (seconds, fraction) = milliseconds.flooringDivision(by: 1000)
        let whole = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        return "\(whole.dropLast()).\(String(1000 + fraction).dropFirst())Z"
    }

    private static func oneDecimal(_ value: Double) -> String { String(format: "%.1f", value) }
}

extension Int64 {
    fileprivate func flooringDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

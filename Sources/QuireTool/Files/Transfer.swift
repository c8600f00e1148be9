import Foundation
import Quire

/// Moves bytes into a sink piece by piece, whatever their number in constant memory.
struct Transfer {
    static let pieceSize = 1 << 20

    let meter: ProgressMeter

    /// - Parameter next: the next piece; an empty one is the end.
    func run(to sink: any DataSink, _ next: () throws -> Data) throws {
        while true {
            try Interruption.check()
            let piece = try next()
            guard !piece.isEmpty else { return }
            try sink.put(piece)
            meter.add(piece.count)
        }
    }
}

import Foundation
import Quire
import Synchronization

/// A document whose bytes are made from their positions, as large as is wanted, with faults on demand.
final class ProbeProvider: DataProviding, Sendable {
    struct Fault: Error, Equatable {}

    let uid = "probe"
    private let state: Mutex<State>
    private let bytesPerRead: Int

    private struct State {
        var size: UInt64
        var isFailing = false
    }

    /// - Parameter bytesPerRead: the most that one call gives, to be asked again for the rest.
    init(size: UInt64, bytesPerRead: Int = .max) {
        state = Mutex(State(size: size))
        self.bytesPerRead = bytesPerRead
    }

    var size: UInt64 {
        get { state.withLock { $0.size } }
        set { state.withLock { $0.size = newValue } }
    }

    var isFailing: Bool {
        get { state.withLock { $0.isFailing } }
        set { state.withLock { $0.isFailing = newValue } }
    }

    static func byte(at offset: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: (offset &* 0x9E37_79B9_7F4A_7C15) >> 40)
    }

    static func bytes(_ range: Range<UInt64>) -> [UInt8] { range.map(byte) }

    func readData(withSize size: UInt64, atOffset offset: UInt64) throws -> Data {
        let state = state.withLock { $0 }
        if state.isFailing { throw Fault() }
        guard offset < state.size else { return Data() }
        let count = min(size, state.size - offset, UInt64(bytesPerRead))
        return Data(Self.bytes(offset..<offset + count))
    }
}

/// Makes a store of `document` in memory.
func makeStore(_ document: Data, blockSize: Int = 65_536) throws -> CompressedDataProvider {
    let memory = DataContainerProvider(data: Data())
    let store = try CompressedDataProvider.create(
        in: memory, configuration: .init(blockSize: blockSize))
    try store.save([], document)
    return store
}

public import Foundation

/// Something that goes wrong at one operation of a provider, or from one operation on.
public struct Fault: Sendable, CustomStringConvertible {
    /// What the operation does instead of its work.
    public enum Effect: Sendable, Equatable {
        /// It throws, or returns false and keeps, a `POSIXError` of this code; nothing has been done.
        case error(POSIXErrorCode)
        /// A read gives at most this many bytes; a write takes as many and then fails with `ENOSPC`. Other operations are
        /// not changed.
        case short(byteCount: Int)
        /// It waits for so many seconds first.
        case delay(seconds: Double)
    }

    /// The operations that it may hit; all kinds, if there are none.
    public var kinds: Set<FaultOperation.Kind>
    /// Which of these operations it hits, counted from 0.
    public var number: Int
    /// What happens there.
    public var effect: Effect
    /// Whether all later operations of these kinds are hit, too.
    public var isLasting: Bool

    /// Describes a fault, for instance `Fault(.error(.EIO), at: 3, of: .read)`.
    ///
    /// - Parameters:
    ///   - number: from 0 on; a negative one is never reached.
    ///   - kinds: what is counted; all operations without it.
    public init(
        _ effect: Effect, at number: Int, of kinds: FaultOperation.Kind..., isLasting: Bool = false
    ) {
        self.effect = effect
        self.number = number
        self.kinds = Set(kinds)
        self.isLasting = isLasting
    }

    /// The effect and where, in one line.
    public var description: String {
        let names =
            kinds.isEmpty ? "operation" : kinds.map(\.rawValue).sorted().joined(separator: "/")
        return "\(effect) at \(names) \(number)\(isLasting ? " and later" : "")"
    }
}

/// An operation that was asked of a `FaultInjectingProvider`, one of its snapshots or one of its sinks.
public struct FaultOperation: Sendable {
    /// Where the operation belongs in the life of a provider.
    public enum Kind: String, Sendable, CaseIterable {
        /// A read, in either form.
        case read
        /// The making of a snapshot.
        case snapshot
        /// The making of a sink.
        case sink
        /// Bytes for a sink.
        case write
        /// A sink's `barrier()`: what a file answers with a sync.
        case barrier
        /// A sink's `discardBase(beyond:)`.
        case discard
        /// A sink's `finish()`.
        case finish
        /// `replaceContents(with:)`.
        case commit
        /// `deleteData()`.
        case delete
    }

    /// What was asked.
    public var kind: Kind
    /// Where a read begins, the size of the base that is kept, or how much the sink had before a write.
    public var offset: UInt64 = 0
    /// Bytes asked for or given.
    public var byteCount: UInt64 = 0
    /// The bytes of a write; empty for everything else.
    public var bytes = Data()
    /// What was made of it; nil if it went through to the upstream.
    public var fault: Fault.Effect?
}

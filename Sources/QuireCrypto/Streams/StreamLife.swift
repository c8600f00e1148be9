import Foundation
import Quire

/// The part of a life that all crypto streams share: one that has failed stays failed, also when it is closed.
final class StreamLife {
    private(set) var status = Stream.Status.notOpen
    private(set) var error: (any Error)?

    /// Opens the wrapped stream, unless it is open.
    func open(_ upstream: Stream) {
        guard status == .notOpen else { return }
        if upstream.streamStatus == .notOpen { upstream.open() }
        if let error = upstream.failure { fail(error) } else { status = .open }
    }

    /// What `body` returns; -1 if it throws, or if the stream is not open.
    func run(_ body: () throws -> Int) -> Int {
        guard status == .open else { return status == .atEnd ? 0 : -1 }
        do { return try body() } catch {
            fail(error)
            return -1
        }
    }

    func end() { status = .atEnd }

    func close() { if status != .error { status = .closed } }

    /// Keeps the first error.
    func fail(_ error: any Error) {
        self.error = self.error ?? error
        status = .error
    }
}

extension Stream {
    /// Why the stream failed; nil if it has not. Foundation's `streamError` traps on Linux where there is none.
    var failure: (any Error)? {
        guard streamStatus == .error else { return nil }
        return streamError ?? QuireError(.fileSystem, "the stream failed without saying why")
    }
}

/// Gives Quire's errors the number that the SDK's streams have for them.
func numbered<R>(_ number: Int, _ body: () throws -> R) throws -> R {
    do { return try body() } catch var error as QuireError {
        error.sdkNumber = error.sdkNumber ?? number
        throw error
    }
}

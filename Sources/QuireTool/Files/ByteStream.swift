import Foundation

/// Bytes that are read or written from front to back: a file, a pipe, a terminal.
@safe final class ByteStream {
    /// As the user knows it.
    let name: String
    let status: FileStatus
    private let descriptor: Int32

    static var standardOutput: ByteStream {
        get throws { try ByteStream(STDOUT_FILENO, "standard output") }
    }

    /// Opens a file for reading; `-` is standard input.
    convenience init(reading path: String) throws {
        guard path != "-" else {
            try self.init(STDIN_FILENO, "standard input")
            return
        }
        try self.init(path, O_RDONLY)
        guard status.kind != .directory else { throw ToolError(line: "\(path): is a directory") }
    }

    /// Opens a device or a named pipe for writing.
    convenience init(writing path: String) throws { try self.init(path, O_WRONLY) }

    private convenience init(_ path: String, _ flags: Int32) throws {
        let descriptor = unsafe open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw ToolError.system(errno, path) }
        try self.init(descriptor, path)
    }

    private init(_ descriptor: Int32, _ name: String) throws {
        self.descriptor = descriptor
        self.name = name
        status = try FileStatus(descriptor: descriptor, name: name)
    }

    deinit { if descriptor > STDERR_FILENO { close(descriptor) } }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Bytes that it has in all; nil if only its end will tell.
    var size: UInt64? { status.kind == .regular ? status.size : nil }

    /// The next bytes, as many as there are, up to `count`; none at the end.
    func read(upTo count: Int) throws -> Data {
        try wait(for: POLLIN)
        var data = Data(count: count)
        let done = try unsafe data.withUnsafeMutableBytes { buffer in
            while true {
                // SAFETY: read writes at most the buffer's size, during the call.
                let done = unsafe Foundation.read(descriptor, buffer.baseAddress, buffer.count)
                if done >= 0 { return done }
                try retryAfterSignal()
            }
        }
        data.removeLast(count - done)
        return data
    }

    /// Writes all of `data`, going on after short writes.
    func write(_ data: Data) throws {
        try unsafe data.withUnsafeBytes { buffer in
            var position = 0
            while position < buffer.count {
                // SAFETY: write reads only the rest of the buffer, during the call.
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[position...])
                let done = unsafe Foundation.write(descriptor, rest.baseAddress, rest.count)
                if done >= 0 {
                    position += done
                } else if errno == EAGAIN {
                    try wait(for: POLLOUT)  // somebody has made it non-blocking
                } else {
                    try retryAfterSignal()
                }
            }
        }
    }

    /// Waits in short naps: a signal that comes just before a read would not end it.
    private func wait(for event: Int32) throws {
        var request = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        while true {
            try Interruption.check()
            let ready = unsafe poll(&request, 1, 100)
            if ready > 0 { return }
            if ready < 0 { try retryAfterSignal() }
        }
    }

    private func retryAfterSignal() throws {
        let code = errno
        guard code == EINTR else { throw ToolError.system(code, name) }
        try Interruption.check()
    }
}

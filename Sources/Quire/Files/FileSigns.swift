/// What hints at a change of a file: a reason to look, no proof.
struct FileSigns: OptionSet, Sendable {
    let rawValue: UInt8

    /// Bytes were written into it in place.
    static let written = Self(rawValue: 1)
    /// Its times, its permissions or its links were changed.
    static let attributes = Self(rawValue: 2)
    /// Anything else.
    static let other = Self(rawValue: 4)
}

/// Where a monitor's signs come from.
protocol FileSignSource: AnyObject, Sendable {
    /// Passes signs of the monitor's file on to it, until it is removed. Adding it again changes nothing.
    func add(_ monitor: FileMonitor)

    /// A monitor that was not added is no error.
    func remove(_ monitor: FileMonitor)

    /// Passes on what has happened until now.
    func drain()

    /// Runs a look at the file, kept apart from the writers of other processes that coordinate their writing.
    func reading<R>(_ body: () throws -> R) throws -> R

    /// Runs a save of the file.
    func writing<R>(_ body: () throws -> R) throws -> R
}

extension FileSignSource {
    func reading<R>(_ body: () throws -> R) throws -> R { try body() }
    func writing<R>(_ body: () throws -> R) throws -> R { try body() }
}

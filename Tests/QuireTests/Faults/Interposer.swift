import Foundation
import QuireTesting

/// The injector of faults into other processes, with the library that was built with the tests.
enum Interposer {
    #if os(Linux)
        static let isPossible = true
    #else
        static let isPossible = false
    #endif

    static func environment(
        _ folder: URL, fault: FileFault? = nil, calls: URL? = nil, events: URL? = nil
    ) throws -> [String: String] {
        let library = try ToolFolder.executable("libQuireFileFaults.so")
        return FileFaultInjector(library: library).environment(
            forFilesIn: folder, fault: fault, calls: calls, events: events)
    }
}

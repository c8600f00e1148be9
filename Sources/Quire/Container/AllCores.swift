import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The processors that this process may run on.
let coreCount: Int = {
    #if os(Linux)
        // Foundation counts those that are switched on, whatever taskset or a container allows.
        var set = cpu_set_t()
        let size = MemoryLayout<cpu_set_t>.size
        // SAFETY: the kernel writes at most `size` bytes.
        if unsafe sched_getaffinity(0, size, &set) == 0 {
            return max(
                1,
                unsafe withUnsafeBytes(of: set) { unsafe $0.reduce(0) { $0 + $1.nonzeroBitCount } })
        }
    #endif
    return ProcessInfo.processInfo.activeProcessorCount
}()

/// Calls `body` with each of the numbers, on all cores, and returns when all are done.
///
/// - Parameter step: how many numbers make a task.
/// - Throws: the error of the least number that has one; greater ones are given up.
func onAllCores(_ numbers: Range<Int>, step: Int, _ body: @Sendable (Int) throws -> Void) throws {
    let failure = Mutex<(number: Int, error: any Error)?>(nil)
    DispatchQueue.concurrentPerform(iterations: (numbers.count + step - 1) / step) { task in
        let start = numbers.lowerBound + task * step
        for number in start..<min(start + step, numbers.upperBound) {
            if failure.withLock({ $0.map { $0.number < number } ?? false }) { return }
            do { try body(number) } catch {
                failure.withLock {
                    if $0.map({ number < $0.number }) ?? true { $0 = (number, error) }
                }
            }
        }
    }
    if let failure = failure.withLock({ $0 }) { throw failure.error }
}

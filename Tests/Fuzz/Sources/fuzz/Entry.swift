import Foundation

typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<Arguments>,
    _ entry: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The program's main: SwiftPM calls the one of the module's name.
@c(fuzz_main)
public func fuzzMain(_ count: CInt, _ arguments: UnsafeMutableRawPointer) -> CInt {
    if count == 3, let folder = CommandLine.arguments.last, CommandLine.arguments[1] == "--seeds" {
        for seed in FuzzSeeds.all {
            try? seed.input.write(to: URL(fileURLWithPath: folder).appending(path: "\(seed)"))
        }
        return 0
    }
    var count = count
    var arguments = arguments.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
    return runDriver(&count, &arguments) { bytes, count in
        do { try Inputs.run(Data(UnsafeBufferPointer(start: bytes, count: count))) } catch {
            fatalError("\(error)")
        }
        return 0
    }
}

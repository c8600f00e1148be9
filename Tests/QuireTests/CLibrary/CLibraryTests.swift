import Foundation
import Testing

/// The library of quire.h, as programs in C, C++ and Python meet it.
@Suite struct CLibraryTests {
    private static let root = FormatTests.root
    private static let header = root.appending(path: "Sources/CQuire/include/quire.h")

    /// What `import ctypes` of the tests' own machine needs, and the library that was built with the tests.
    private static func library() throws -> URL {
        try ToolFolder.executable().deletingLastPathComponent().appending(path: "libQuireC.so")
    }

    @Test(
        .enabled(if: hasProgram("cc") && hasProgram("c++"), "no C compiler"),
        arguments: [["cc", "-std=c99"], ["c++", "-x", "c++", "-std=c++11"]])
    func programUsesEveryFunctionRightlyAndWrongly(compiler: [String]) throws {
        let folder = try TemporaryFolder()
        let (library, program) = (try Self.library(), folder.file("program").path)
        let place = library.deletingLastPathComponent().path
        let options = [
            "-Wall", "-Wextra", "-Werror", "-Wpedantic", "-D_POSIX_C_SOURCE=200809L", "-pthread",
            "-I", Self.header.deletingLastPathComponent().path,
            Self.root.appending(path: "Tests/C/quire_test.c").path,
            "-L", place, "-lQuireC", "-Wl,-rpath,\(place)", "-o", program,
        ]
        let compiled = try run(compiler + options)
        try #require(compiled.status == 0, "\(compiled.errors)")
        let stores = folder.file("stores")
        try FileManager.default.createDirectory(at: stores, withIntermediateDirectories: false)
        let pdf = Self.root.appending(path: "Tests/Fixtures/pdf/saved.pdf").path
        let result = try run([program, stores.path, pdf])
        #expect(result.status == 0, "\(result.errors)")
        #expect(String(decoding: result.output, as: UTF8.self) == "quire_test: ok\n")
        // What was abandoned, refused or failed has left nothing.
        let names = try FileManager.default.contentsOfDirectory(atPath: stores.path)
        #expect(names.sorted() == ["a.gz", "damaged.gz", "new.gz", "saves.gz", "shared.gz"])
        for name in names where name != "damaged.gz" {
            #expect(try gunzip(Data(contentsOf: stores.appending(path: name))) != nil, "\(name)")
        }
    }

    @Test(.enabled(if: hasProgram("nm"), "no binutils"))
    func libraryExportsWhatTheHeaderDeclares() throws {
        let header = try String(contentsOf: Self.header, encoding: .utf8)
        let declared = Set(
            header.matches(
                of: /^[A-Za-z].*?\b(quire_[a-z]+(?:_[a-z]+)*)\(.*;/.anchorsMatchLineEndings()
            )
            .map { String($0.1) })
        #expect(declared.count > 15)
        let symbols = try run("nm", "-D", "--defined-only", Self.library().path)
        let exported = String(decoding: symbols.output, as: UTF8.self).split(separator: "\n")
            .compactMap { $0.split(separator: " ").last }.filter { $0.hasPrefix("quire_") }
        #expect(Set(exported.map(String.init)) == declared)
    }

    @Test(.enabled(if: hasProgram("python3"), "no Python"))
    func pythonModuleReadsAndSaves() throws {
        try testPython("test_module.py", by: "python3")
    }

    /// What `Scripts/fetch-python.sh` makes.
    private static let python = root.appending(path: ".build/python/bin/python").path

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: python),
            "Python's PDF libraries are not here: run Scripts/fetch-python.sh"),
        arguments: ["test_readers.py", "test_editor.py"])
    func pythonPDFLibrariesReadAndSaveStores(file: String) throws {
        try testPython(file, by: Self.python)
    }

    private func testPython(_ file: String, by python: String) throws {
        let tests = Self.root.appending(path: "Tests/Python").path
        let result = try run([
            "env", "QUIRE_LIBRARY=\(Self.library().path)", "PYTHONDONTWRITEBYTECODE=1", python,
            "-m", "unittest", "discover", "-s", tests, "-p", file,
        ])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains(/Ran [1-9][0-9]* tests? in/), "\(result.errors)")
    }
}

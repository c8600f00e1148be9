import Foundation

/// The three standard streams: data and reports go to standard output, words to standard error.
enum Console {
    /// Makes a closed pipe end the tool without a word, and keeps the numbers 0...2 from files that it opens.
    static func prepare() {
        signal(SIGPIPE, SIG_DFL)
        signal(SIGXFSZ, SIG_IGN)  // a file too large is an error to report, EFBIG
        unblock([SIGPIPE, SIGINT, SIGTERM, SIGHUP])
        for number in 0...2 where fcntl(Int32(number), F_GETFD) < 0 {
            // Opened the wrong way round: a stream that is closed is an error, not empty.
            unsafe _ = open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    /// A parent that starts the tool from a Dispatch thread hands down a mask that blocks every signal.
    private static func unblock(_ signals: [Int32]) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in signals { unsafe sigaddset(&set, number) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Writes a report to standard output.
    static func report(_ text: String) throws {
        try ByteStream.standardOutput.write(Data(text.utf8))
    }

    /// Says one line on standard error, whatever a file name in it contains.
    static func say(_ line: String) {
        let shown = line.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control
                ? scalar.escaped(asASCII: true) : String(scalar)
        }
        write("quire: \(shown.joined())\n", to: STDERR_FILENO)
    }

    /// Writes without asking whether it worked: there is nobody left to tell.
    static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        // SAFETY: write reads the array's bytes during the call only.
        unsafe _ = Foundation.write(descriptor, bytes, bytes.count)
    }
}

import CQuire
import Foundation
import Quire

/// Why a call from C fails where no `QuireError` says so: its code in quire.h, and a line of text.
struct Failure: Error {
    let code: Int
    let text: String

    init(_ code: Int, _ text: String) {
        self.code = code
        self.text = text
    }

    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as QuireError:
            self.init(Self.codes[error.code.description] ?? QUIRE_OTHER, error.description)
        default: self.init(QUIRE_OTHER, error.localizedDescription)
        }
    }

    static func invalid(_ text: String) -> Failure { Failure(QUIRE_INVALID_ARGUMENT, text) }

    /// The numbers of `QuireError`'s codes by their names: quire.h has them under the same ones.
    private static let codes = Dictionary(
        uniqueKeysWithValues: (QUIRE_OTHER...QUIRE_OK).map { code in
            // SAFETY: the function gives static text for every number.
            (unsafe String(cString: quire_code_name(CInt(code))), code)
        })
}

/// Runs the body of an exported function: what it throws is kept for the thread, and its code returned.
func answering<Answer: SignedInteger>(_ body: () throws -> Answer) -> Answer {
    do { return try body() } catch {
        let failure = Failure(error)
        // SAFETY: the text is copied before the call returns.
        unsafe quire_internal_note(CInt(failure.code), failure.text)
        return Answer(failure.code)
    }
}

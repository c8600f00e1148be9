import Foundation
import Testing

@testable import Quire

#if os(Linux)
    /// Something that another does to the file `$0`, and what is to be told of it.
    struct OutsideChange: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let script: String
        var type = FileConflictType.modification

        static let all = [
            Self(testDescription: "an append", script: "printf more >> \"$0\""),
            Self(
                testDescription: "an edit in place",
                script: "printf X | dd of=\"$0\" bs=1 seek=5000 conv=notrunc 2>&1"),
            Self(testDescription: "truncation", script: "truncate -s 5000 \"$0\""),
            Self(testDescription: "truncation to nothing", script: ": > \"$0\""),
            Self(testDescription: "rewriting", script: "printf other > \"$0\""),
            Self(
                testDescription: "a rename over it",
                script: "printf new > \"$0.new\"; mv \"$0.new\" \"$0\""),
            Self(
                testDescription: "a rename over it of equal size",
                script: """
                    cp "$0" "$0.new"; printf X | dd of="$0.new" bs=1 seek=5000 conv=notrunc 2>&1
                    mv "$0.new" "$0"
                    """),
            Self(
                testDescription: "deletion and re-creation",
                script: "rm \"$0\"; printf new > \"$0\""),
            Self(
                testDescription: "exchange of its folder",
                script: """
                    folder=$(dirname "$0"); cp -r "$folder" "$folder.new"; printf X >> "$folder.new/document"
                    mv "$folder" "$folder.old"; mv "$folder.new" "$folder"
                    """),
            Self(testDescription: "deletion", script: "rm \"$0\"", type: .deletion),
            Self(testDescription: "a move", script: "mv \"$0\" \"$0.old\"", type: .deletion),
            Self(
                testDescription: "a folder in its place", script: "rm \"$0\"; mkdir \"$0\"",
                type: .deletion),
            Self(
                testDescription: "renaming of its folder",
                script: "folder=$(dirname \"$0\"); mv \"$folder\" \"$folder.old\"", type: .deletion),
            Self(
                testDescription: "deletion of its folder", script: "rm -r \"$(dirname \"$0\")\"",
                type: .deletion),
            Self(
                testDescription: "a file in the place of its folder",
                script: "folder=$(dirname \"$0\"); rm -r \"$folder\"; : > \"$folder\"",
                type: .deletion),
        ]
    }

    /// How signs come to the provider.
    enum Watching: CaseIterable {
        case byInotify, byLooking

        /// A watcher that does one of the two only, within a test's patience.
        var source: FileWatcher {
            switch self {
            case .byInotify: FileWatcher(interval: .seconds(3600))
            case .byLooking: FileWatcher(interval: .milliseconds(20), watchLimit: 0)
            }
        }
    }

    /// Waits until all that has happened has been looked into and told.
    func settled(_ provider: CoordinatedFileDataProvider) -> Bool {
        provider.monitor.source.drain()
        guard eventually({ provider.monitor.isQuiet }) else { return false }
        return provider.monitor.queue.sync { provider.monitor.isQuiet }
    }
#endif

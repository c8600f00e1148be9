#if canImport(Darwin)
    import Foundation

    /// Apple's file coordination as the source of a monitor's signs. All that is decided is decided by the monitor.
    final class FilePresenter: NSObject, NSFilePresenter, FileSignSource, @unchecked Sendable {
        // SAFETY: nothing but the weak monitor changes, and that is set once, before the presenter is registered.
        let presentedItemURL: URL?
        let presentedItemOperationQueue = OperationQueue()
        private let url: URL
        private weak var monitor: FileMonitor?
        private let registration = NSLock()
        private var isRegistered = false

        init(_ url: URL) {
            self.url = url
            presentedItemURL = url
            presentedItemOperationQueue.maxConcurrentOperationCount = 1
        }

        func add(_ monitor: FileMonitor) {
            registration.withLock {
                guard !isRegistered else { return }
                isRegistered = true
                self.monitor = monitor
                NSFileCoordinator.addFilePresenter(self)
            }
        }

        func remove(_ monitor: FileMonitor) {
            registration.withLock {
                guard isRegistered else { return }
                isRegistered = false
                NSFileCoordinator.removeFilePresenter(self)
            }
        }

        func drain() {}

        func presentedItemDidChange() { monitor?.notice(.other) }

        func presentedItemDidMove(to newURL: URL) { monitor?.notice(.other) }

        func accommodatePresentedItemDeletion(
            completionHandler: @escaping @Sendable ((any Error)?) -> Void
        ) {
            guard let monitor else { return completionHandler(nil) }
            monitor.announceDeletion(then: completionHandler)
        }

        func reading<R>(_ body: () throws -> R) throws -> R {
            try coordinated(isWriting: false, body)
        }

        func writing<R>(_ body: () throws -> R) throws -> R {
            try coordinated(isWriting: true, body)
        }

        /// Runs `body` while the system keeps others out; this presenter is not told of it.
        private func coordinated<R>(isWriting: Bool, _ body: () throws -> R) throws -> R {
            var result: Result<R, any Error>?
            var refusal: NSError?
            func run(_: URL) { result = Result { try body() } }
            let coordinator = NSFileCoordinator(filePresenter: self)
            // SAFETY: the coordinator writes the error during the call.
            if isWriting {
                unsafe coordinator.coordinate(
                    writingItemAt: url, options: .forReplacing, error: &refusal, byAccessor: run)
            } else {
                unsafe coordinator.coordinate(
                    readingItemAt: url, options: .withoutChanges, error: &refusal, byAccessor: run)
            }
            if let result { return try result.get() }
            let reason = refusal?.localizedDescription ?? "no reason"
            throw QuireError(
                .fileSystem, "\(url.path) cannot be coordinated: \(reason)", underlying: refusal)
        }
    }
#endif

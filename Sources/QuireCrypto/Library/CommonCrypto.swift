#if canImport(CommonCrypto)
    import CommonCrypto
    import Darwin
    import Quire

    /// Apple's CommonCrypto.
    enum CommonCryptoLibrary: CryptoLibrary {
        static func deriveKey(
            password: RawSpan, salt: RawSpan, rounds: Int32, digest: Digest
        ) throws -> SecretBytes {
            let function = digest == .sha1 ? kCCPRFHmacAlgSHA1 : kCCPRFHmacAlgSHA256
            return try unsafe SecretBytes(count: MessageKeys.keySize) { key in
                // SAFETY: each count is that of its buffer, and all of them outlive the call.
                let status = unsafe password.withUnsafeBytes { password in
                    unsafe salt.withUnsafeBytes { salt in
                        unsafe CCKeyDerivationPBKDF(
                            CCPBKDFAlgorithm(kCCPBKDF2),
                            password.baseAddress?.assumingMemoryBound(to: CChar.self),
                            password.count,
                            salt.baseAddress?.assumingMemoryBound(to: UInt8.self), salt.count,
                            CCPseudoRandomAlgorithm(function), UInt32(rounds),
                            key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count)
                    }
                }
                try require(status, "derive a key")
            }
        }

        static func randomize(_ buffer: UnsafeMutableRawBufferPointer) throws {
            // SAFETY: the count is that of the buffer.
            try require(
                unsafe CCRandomGenerateBytes(buffer.baseAddress, buffer.count), "make random bytes")
        }

        static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
            // SAFETY: both arrays have the count that is compared.
            unsafe first.count == second.count && timingsafe_bcmp(first, second, first.count) == 0
        }

        static func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
            // SAFETY: the count is that of the buffer.
            unsafe _ = memset_s(buffer.baseAddress, buffer.count, 0, buffer.count)
        }

        fileprivate static func require(
            _ status: Int32, _ what: @autoclosure () -> String
        ) throws {
            guard status == Int32(kCCSuccess) else {
                throw QuireError(.cryptoFailure, "CommonCrypto could not \(what()) (\(status))")
            }
        }

        @safe final class Cipher: BlockCipher, @unchecked Sendable {
            // SAFETY: owned by this object alone, which is used by one thread at a time.
            private let cryptor: CCCryptorRef

            init(_ direction: CipherDirection, key: SecretBytes) throws {
                var made: CCCryptorRef?
                let operation = direction == .encrypt ? kCCEncrypt : kCCDecrypt
                // SAFETY: the count is that of the key, of which a copy is made. No option is CBC without padding.
                let status = key.withBytes { key in
                    unsafe key.withUnsafeBytes {
                        unsafe CCCryptorCreate(
                            CCOperation(operation), CCAlgorithm(kCCAlgorithmAES), 0,
                            $0.baseAddress, $0.count, nil, &made)
                    }
                }
                try require(status, "begin to \(direction)")
                guard let cryptor = unsafe made else {
                    throw QuireError(.cryptoFailure, "CommonCrypto made no cipher")
                }
                unsafe self.cryptor = cryptor
            }

            deinit { unsafe _ = CCCryptorRelease(cryptor) }

            func begin(iv: RawSpan) throws {
                precondition(iv.byteCount == Message.blockSize, "an IV has 16 bytes")
                // SAFETY: the IV has the 16 bytes that are copied.
                let status = unsafe iv.withUnsafeBytes {
                    unsafe CCCryptorReset(cryptor, $0.baseAddress)
                }
                try require(status, "begin a chain")
            }

            func process(_ input: RawSpan, into output: inout OutputRawSpan) throws {
                let count = input.byteCount
                precondition(count % Message.blockSize == 0 && count <= output.freeCapacity)
                guard count > 0 else { return }
                var written = 0
                let status = unsafe input.withUnsafeBytes { input in
                    unsafe output.withUnsafeMutableBytes { buffer, initialized in
                        // SAFETY: without padding as many bytes come out as go in, and they fit.
                        let target = unsafe buffer.baseAddress.map { unsafe $0 + initialized }
                        let status = unsafe CCCryptorUpdate(
                            cryptor, input.baseAddress, count, target, count, &written)
                        initialized += written
                        return status
                    }
                }
                try require(status, "process \(count) bytes")
                guard written == count else {
                    throw QuireError(.cryptoFailure, "CommonCrypto held \(count - written) bytes")
                }
            }
        }

        @safe final class Authenticator: MessageAuthenticator {
            // SAFETY: owned by this object alone, which is used by one thread at a time.
            private let context: UnsafeMutablePointer<CCHmacContext>

            init(key: SecretBytes) throws {
                unsafe context = .allocate(capacity: 1)
                unsafe context.initialize(to: CCHmacContext())
                // SAFETY: the count is that of the key.
                key.withBytes { key in
                    unsafe key.withUnsafeBytes {
                        unsafe CCHmacInit(
                            context, CCHmacAlgorithm(kCCHmacAlgSHA256), $0.baseAddress, $0.count)
                    }
                }
            }

            deinit {
                unsafe CommonCryptoLibrary.wipe(
                    UnsafeMutableRawBufferPointer(
                        start: context, count: MemoryLayout<CCHmacContext>.size))
                unsafe context.deallocate()
            }

            func update(_ bytes: RawSpan) throws {
                // SAFETY: the count is that of the buffer.
                unsafe bytes.withUnsafeBytes {
                    unsafe CCHmacUpdate(context, $0.baseAddress, $0.count)
                }
            }

            func finish() throws -> [UInt8] {
                var tag = [UInt8](repeating: 0, count: Message.tagSize)
                // SAFETY: SHA-256 writes 32 bytes, which the array has.
                unsafe CCHmacFinal(context, &tag)
                return tag
            }
        }
    }
#endif

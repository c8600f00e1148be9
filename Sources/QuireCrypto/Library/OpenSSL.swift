#if !canImport(CommonCrypto)
    import CCrypto
    import Quire

    /// OpenSSL's libcrypto, 3.0 or newer.
    enum OpenSSL: CryptoLibrary {
        static func deriveKey(
            password: RawSpan, salt: RawSpan, rounds: Int32, digest: Digest
        ) throws -> SecretBytes {
            guard let passwordCount = Int32(exactly: password.byteCount),
                let saltCount = Int32(exactly: salt.byteCount)
            else { throw QuireError(.invalidArgument, "a passphrase or salt of 2 GiB or more") }
            return try unsafe SecretBytes(count: MessageKeys.keySize) { key in
                // SAFETY: each count is that of its buffer, and all of them outlive the call.
                let status = unsafe password.withUnsafeBytes { password in
                    unsafe salt.withUnsafeBytes { salt in
                        unsafe PKCS5_PBKDF2_HMAC(
                            password.baseAddress?.assumingMemoryBound(to: CChar.self),
                            passwordCount,
                            salt.baseAddress?.assumingMemoryBound(to: UInt8.self), saltCount,
                            rounds, digest == .sha1 ? EVP_sha1() : EVP_sha256(), Int32(key.count),
                            key.baseAddress?.assumingMemoryBound(to: UInt8.self))
                    }
                }
                try require(status == 1, "derive a key")
            }
        }

        static func randomize(_ buffer: UnsafeMutableRawBufferPointer) throws {
            // SAFETY: the count is that of the buffer.
            let status = unsafe RAND_bytes(
                buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(buffer.count))
            try require(status == 1, "make random bytes")
        }

        static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
            // SAFETY: both arrays have the count that is compared.
            unsafe first.count == second.count && CRYPTO_memcmp(first, second, first.count) == 0
        }

        static func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
            // SAFETY: the count is that of the buffer.
            unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
        }

        fileprivate static func require(
            _ condition: Bool, _ what: @autoclosure () -> String
        ) throws {
            if condition { return }
            let code = ERR_get_error()
            ERR_clear_error()  // or another user of the library in this thread would find the rest
            throw QuireError(.cryptoFailure, "libcrypto could not \(what()) (\(code))")
        }

        @safe final class Cipher: BlockCipher, @unchecked Sendable {
            // SAFETY: owned by this object alone, which is used by one thread at a time.
            private let context: OpaquePointer

            init(_ direction: CipherDirection, key: SecretBytes) throws {
                guard key.count == MessageKeys.keySize, let context = unsafe EVP_CIPHER_CTX_new()
                else { throw QuireError(.cryptoFailure, "libcrypto could not make a cipher") }
                unsafe self.context = context
                // SAFETY: the key has the 32 bytes that the cipher reads; it keeps a copy that it wipes.
                let status = key.withBytes { key in
                    unsafe key.withUnsafeBytes { key in
                        unsafe EVP_CipherInit_ex(
                            context, EVP_aes_256_cbc(), nil,
                            key.baseAddress?.assumingMemoryBound(to: UInt8.self), nil,
                            direction == .encrypt ? 1 : 0)
                    }
                }
                try require(status == 1, "begin to \(direction)")
                try require(unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1, "pad by itself")
            }

            deinit { unsafe EVP_CIPHER_CTX_free(context) }

            func begin(iv: RawSpan) throws {
                precondition(iv.byteCount == Message.blockSize, "an IV has 16 bytes")
                // SAFETY: the IV has the 16 bytes that are copied; -1 keeps the direction.
                let status = unsafe iv.withUnsafeBytes { iv in
                    unsafe EVP_CipherInit_ex(
                        context, nil, nil, nil,
                        iv.baseAddress?.assumingMemoryBound(to: UInt8.self), -1)
                }
                try require(status == 1, "begin a chain")
            }

            func process(_ input: RawSpan, into output: inout OutputRawSpan) throws {
                let count = input.byteCount
                precondition(count % Message.blockSize == 0 && count <= output.freeCapacity)
                guard count > 0 else { return }
                var written: Int32 = 0
                let status = unsafe input.withUnsafeBytes { input in
                    unsafe output.withUnsafeMutableBytes { buffer, initialized in
                        // SAFETY: without padding as many bytes come out as go in, and they fit.
                        let target = unsafe buffer.baseAddress.map { unsafe $0 + initialized }
                        let status = unsafe EVP_CipherUpdate(
                            context, target?.assumingMemoryBound(to: UInt8.self), &written,
                            input.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(count))
                        initialized += Int(written)
                        return status
                    }
                }
                try require(status == 1 && written == count, "process \(count) bytes")
            }
        }

        @safe final class Authenticator: MessageAuthenticator {
            // SAFETY: owned by this object alone, which is used by one thread at a time.
            private let context: OpaquePointer

            init(key: SecretBytes) throws {
                guard let context = unsafe EVP_MD_CTX_new() else {
                    throw QuireError(.cryptoFailure, "libcrypto could not make a digest")
                }
                unsafe self.context = context
                // SAFETY: the count is that of the key; the copy of it is freed, and wiped, with the context.
                let handle = unsafe key.withBytes { key in
                    unsafe key.withUnsafeBytes { key in
                        unsafe EVP_PKEY_new_raw_private_key(
                            EVP_PKEY_HMAC, nil,
                            key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count)
                    }
                }
                defer { unsafe EVP_PKEY_free(handle) }
                let status = unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, handle)
                try require(unsafe handle != nil && status == 1, "begin an HMAC")
            }

            deinit { unsafe EVP_MD_CTX_free(context) }

            func update(_ bytes: RawSpan) throws {
                // SAFETY: the count is that of the buffer.
                let status = unsafe bytes.withUnsafeBytes {
                    unsafe EVP_DigestSignUpdate(context, $0.baseAddress, $0.count)
                }
                try require(status == 1, "continue an HMAC")
            }

            func finish() throws -> [UInt8] {
                var tag = [UInt8](repeating: 0, count: Message.tagSize)
                var count = tag.count
                // SAFETY: `count` says how many bytes fit, then how many there are.
                let status = unsafe EVP_DigestSignFinal(context, &tag, &count)
                try require(status == 1 && count == tag.count, "end an HMAC")
                return tag
            }
        }
    }
#endif

#if Libdeflate
    import Foundation

    extension StoredRuns {
        /// The stored runs of a block, found without reading its deflate stream.
        ///
        /// A stored deflate block has LEN and its complement in front of its bytes. Wherever that seems to be so the bytes are looked
        /// for in what the stream inflates to. Only what is found there, to the last byte, is noted: so a mapped read gives
        /// the right bytes even if the place was no stored block at all.
        init(of deflated: UnsafeRawBufferPointer, inflatedTo block: UnsafeRawBufferPointer) {
            var (place, start, misses) = (0, 0, 0)
            // Other bytes look like a header once in 65,536 places; a stream made to do so more often is not worth it.
            while misses < 16, let data = unsafe Self.nextStored(in: deflated, from: place) {
                let bytes = unsafe UnsafeRawBufferPointer(rebasing: deflated[data])
                let rest = unsafe UnsafeRawBufferPointer(rebasing: block[start...])
                if let offset = unsafe Self.place(of: bytes, in: rest) {
                    let run = start + offset..<start + offset + data.count
                    append(run, deflateOffset: data.lowerBound)
                    (place, start) = (data.upperBound, run.upperBound)
                } else {
                    misses += 1
                    place = data.lowerBound - 3
                }
            }
        }

        /// What may be the bytes of a stored deflate block, whose LEN is at `place` or behind it.
        private static func nextStored(
            in deflated: UnsafeRawBufferPointer, from place: Int
        ) -> Range<Int>? {
            // The block's three bits and zeros fill the byte in front, of which the highest two bits are therefore zero.
            var place = max(place, 1)
            while place + 4 + leastByteCount <= deflated.count {
                // SAFETY: the four bytes lie in the buffer.
                let word = unsafe deflated.loadUnaligned(fromByteOffset: place, as: UInt32.self)
                let length = Int(UInt32(littleEndian: word) & 0xffff)
                if (word ^ word >> 16) & 0xffff == 0xffff, length >= leastByteCount,
                    place + 4 + length <= deflated.count, unsafe deflated[place - 1] < 64
                {
                    return place + 4..<place + 4 + length
                }
                place += 1
            }
            return nil
        }

        /// Where `bytes` first begin in `block`, by their first 32; nil if the rest is different there.
        private static func place(
            of bytes: UnsafeRawBufferPointer, in block: UnsafeRawBufferPointer
        ) -> Int? {
            guard let base = block.baseAddress, let start = bytes.baseAddress,
                // SAFETY: memmem looks only at the buffer, and its result lies in there; memcmp stays inside both.
                let found = unsafe memmem(base, block.count, start, min(bytes.count, 32))
            else { return nil }
            let place = unsafe UnsafeRawPointer(found) - base
            guard place + bytes.count <= block.count,
                unsafe memcmp(found, start, bytes.count) == 0
            else { return nil }
            return place
        }
    }
#endif

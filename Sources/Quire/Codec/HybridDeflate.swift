#if Libdeflate
    /// The deflate stream of a block with stored runs, from an engine that makes only whole streams.
    ///
    /// The engine deflates the whole block, in which filler stands for the stored runs, so that it finds the matches between runs.
    /// Its tokens are taken apart at the edges of the runs and written anew, between stored deflate blocks. A match
    /// is kept only if it is one in the block itself.
    struct HybridDeflate {
        /// The stream.
        var bytes: [UInt8] { writer.bytes }

        private var writer = DeflateWriter()
        private let block: [UInt8]

        /// From this level on each run is deflated on its own too, and the smaller kept.
        private static let thoroughLevel = 10

        /// - Parameters:
        ///   - runs: those of the block, with no two neighbours of a kind.
        ///   - deflate: makes a stream of all that it is given.
        init(
            _ input: RawSpan, runs: [Run], level: Int,
            deflate: (RawSpan) throws -> AlignedBuffer
        ) throws {
            block = [UInt8](input)
            // SAFETY: bytes have no padding.
            let stream = try unsafe deflate(Self.filled(block, runs: runs).span.bytes)
            var parse = try stream.withBytes {
                Parse(try DeflateReader($0), of: block, runs: runs)
            }
            if level >= Self.thoroughLevel {
                let other = try deflate(input).withBytes {
                    Parse(try DeflateReader($0), of: block, runs: runs)
                }
                parse.improve(with: other, of: block)
            }
            // What is not deflated, as it turns out, is stored with its neighbours.
            var (start, storedStart) = (0, 0)
            for (run, piece) in zip(runs, parse.pieces) {
                let range = start..<start + run.byteCount
                start = range.upperBound
                guard !run.isStored else { continue }
                var size = (piece.plans.reduce(0) { $0 + $1.bitCount } + 7) / 8
                var alone: (stream: AlignedBuffer, reader: DeflateReader)?
                if level >= Self.thoroughLevel {
                    let stream = try deflate(input.extracting(range))
                    if stream.count < size {
                        size = stream.count
                        alone = (stream, try stream.withBytes { try DeflateReader($0) })
                    }
                }
                guard size + StoredBlock.headerSize < range.count else { continue }
                writer.append(storing: input.extracting(storedStart..<range.lowerBound))
                storedStart = range.upperBound
                if let alone {
                    alone.stream.withBytes { writer.append($0, alone.reader) }
                } else {
                    writer.append(piece.tokens[...], of: block[range], plans: piece.plans)
                }
            }
            writer.append(storing: input.extracting(storedStart...))
            writer.finish()
        }

        /// The block with its stored runs overwritten by the byte that is rarest elsewhere.
        private static func filled(_ block: [UInt8], runs: [Run]) -> [UInt8] {
            var counts = [Int](repeating: 0, count: 256)
            var start = 0
            for run in runs {
                if !run.isStored {
                    for byte in block[start..<start + run.byteCount] { counts[Int(byte)] += 1 }
                }
                start += run.byteCount
            }
            let filler = UInt8(counts.indices.min { counts[$0] < counts[$1] } ?? 0)
            var block = block
            start = 0
            for run in runs {
                let end = start + run.byteCount
                if run.isStored {
                    for index in start..<end { block[index] = filler }
                }
                start = end
            }
            return block
        }
    }
#endif

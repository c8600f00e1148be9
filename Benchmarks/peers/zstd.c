/* zstd's seekable format (contrib/seekable_format): frames of 64 KiB with checksums; with a cache of frames in front, read
   by pread, or, without one, as it comes: over stdio. */
#include "peer.h"
#include "lru.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#include "zstd_seekable.h"

enum { FRAME = 65536 };

struct peer {
    ZSTD_seekable *seekable;
    FILE *stream;
    int descriptor;
    off_t position, size;
    int has_cache;
    uint64_t document_size;
    struct lru lru;
};

const char *peer_version(void) {
    static char text[64];
    snprintf(text, sizeof text, "zstd %s with its contrib/seekable_format", ZSTD_versionString());
    return text;
}

int peer_pack(const char *document, const char *packed, int setting) {
    FILE *in = fopen(document, "rb"), *out = fopen(packed, "wb");
    ZSTD_seekable_CStream *stream = ZSTD_seekable_createCStream();
    static _Thread_local char input[1 << 16], output[1 << 17];
    int result = in && out && stream ? 0 : -1;
    if (result == 0 && ZSTD_isError(ZSTD_seekable_initCStream(stream, setting, 1, FRAME))) result = -1;
    size_t count;
    while (result == 0 && (count = fread(input, 1, sizeof input, in)) > 0) {
        ZSTD_inBuffer source = {input, count, 0};
        while (result == 0 && source.pos < source.size) {
            ZSTD_outBuffer target = {output, sizeof output, 0};
            if (ZSTD_isError(ZSTD_seekable_compressStream(stream, &target, &source))) result = -1;
            if (fwrite(output, 1, target.pos, out) != target.pos) result = -1;
        }
    }
    size_t left = result == 0 ? 1 : 0;
    while (left > 0 && result == 0) {
        ZSTD_outBuffer target = {output, sizeof output, 0};
        left = ZSTD_seekable_endStream(stream, &target);
        if (ZSTD_isError(left) || fwrite(output, 1, target.pos, out) != target.pos) result = -1;
    }
    ZSTD_seekable_freeCStream(stream);
    if (in) fclose(in);
    if (out && fclose(out) != 0) result = -1;
    return result;
}

static int read_all(void *opaque, void *buffer, size_t count) {
    struct peer *peer = opaque;
    if (pread(peer->descriptor, buffer, count, peer->position) != (ssize_t)count) return -1;
    peer->position += (off_t)count;
    return 0;
}

static int seek_to(void *opaque, long long offset, int origin) {
    struct peer *peer = opaque;
    peer->position = origin == SEEK_END ? peer->size + offset : offset;
    return 0;
}

void *peer_open(const char *packed, size_t cache_size) {
    struct peer *peer = calloc(1, sizeof *peer);
    peer->seekable = ZSTD_seekable_create();
    peer->has_cache = cache_size > 0;
    peer->descriptor = -1;
    size_t status;
    if (peer->has_cache) {
        peer->descriptor = open(packed, O_RDONLY | O_CLOEXEC);
        peer->size = lseek(peer->descriptor, 0, SEEK_END);
        status = ZSTD_seekable_initAdvanced(
            peer->seekable, (ZSTD_seekable_customFile){peer, read_all, seek_to});
    } else {
        peer->stream = fopen(packed, "rb");
        if (!peer->stream) return peer_close(peer), NULL;
        status = ZSTD_seekable_initFile(peer->seekable, peer->stream);
    }
    if (ZSTD_isError(status)) return peer_close(peer), NULL;
    unsigned frames = ZSTD_seekable_getNumFrames(peer->seekable);
    if (frames > 0)
        peer->document_size = ZSTD_seekable_getFrameDecompressedOffset(peer->seekable, frames - 1)
            + ZSTD_seekable_getFrameDecompressedSize(peer->seekable, frames - 1);
    if (peer->has_cache && lru_init(&peer->lru, cache_size, FRAME, frames) != 0)
        return peer_close(peer), NULL;
    return peer;
}

int64_t peer_read(void *opaque, uint64_t offset, void *buffer, size_t count) {
    struct peer *peer = opaque;
    if (offset >= peer->document_size) return 0;
    if (count > peer->document_size - offset) count = peer->document_size - offset;
    if (!peer->has_cache) {
        size_t done = 0;
        while (done < count) {
            size_t n = ZSTD_seekable_decompress(
                peer->seekable, (char *)buffer + done, count - done, offset + done);
            if (ZSTD_isError(n) || n == 0) return -1;
            done += n;
        }
        return (int64_t)done;
    }
    size_t done = 0;
    while (done < count) {
        size_t frame = (offset + done) / FRAME, start = (offset + done) % FRAME;
        size_t part = FRAME - start < count - done ? FRAME - start : count - done;
        int is_new;
        uint8_t *block = lru_get(&peer->lru, frame, &is_new);
        if (is_new
            && ZSTD_isError(ZSTD_seekable_decompressFrame(peer->seekable, block, FRAME, (unsigned)frame)))
            return -1;
        memcpy((char *)buffer + done, block + start, part);
        done += part;
    }
    return (int64_t)done;
}

void peer_close(void *opaque) {
    struct peer *peer = opaque;
    ZSTD_seekable_free(peer->seekable);
    if (peer->stream) fclose(peer->stream);
    if (peer->descriptor >= 0) close(peer->descriptor);
    lru_free(&peer->lru);
    free(peer);
}

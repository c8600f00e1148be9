/* dictzip's format as dictd reads it: a chunk is inflated whole, and five are kept (or as many as the cache that is asked
   for holds). The reader is our own, after dictzip(1), as Debian has no library; dictzip itself packs. Random access has
   nothing to check against: the only CRC is of the whole file. */
#include "peer.h"
#include "lru.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

struct peer {
    int descriptor;
    size_t chunk_size, chunk_count;
    uint64_t *starts; /* chunk_count + 1 */
    uint64_t document_size;
    uint8_t *input;
    z_stream stream;
    struct lru lru;
};

const char *peer_version(void) { return "dictzip of Debian; our own reader"; }

/* dictzip puts its output beside its input and deletes that, so it gets a copy. */
int peer_pack(const char *document, const char *packed, int setting) {
    (void)setting;
    static _Thread_local char buffer[1 << 16];
    char made[4096];
    if (snprintf(made, sizeof made, "%s.dz", packed) >= (int)sizeof made) return -1;
    FILE *in = fopen(document, "rb"), *out = fopen(packed, "wb");
    int result = in && out ? 0 : -1;
    size_t count;
    while (result == 0 && (count = fread(buffer, 1, sizeof buffer, in)) > 0)
        if (fwrite(buffer, 1, count, out) != count) result = -1;
    if (in) fclose(in);
    if (out && fclose(out) != 0) result = -1;
    if (result != 0) return -1;
    extern char **environ;
    pid_t child;
    int status;
    char *arguments[] = {"dictzip", "-f", (char *)packed, NULL};
    if (posix_spawnp(&child, "dictzip", NULL, NULL, arguments, environ) != 0) return -1;
    if (waitpid(child, &status, 0) < 0 || status != 0) return -1;
    return rename(made, packed);
}

static size_t little(const uint8_t *bytes) { return bytes[0] | (size_t)bytes[1] << 8; }

/* The chunks from the header's RA subfield. */
static int parse(struct peer *peer, const uint8_t *header, size_t count) {
    if (count < 22 || header[0] != 0x1f || header[1] != 0x8b || !(header[3] & 4)) return -1;
    size_t extra = 12, end = extra + little(header + 10);
    if (end > count || header[extra] != 'R' || header[extra + 1] != 'A') return -1;
    peer->chunk_size = little(header + extra + 6);
    peer->chunk_count = little(header + extra + 8);
    if (extra + 10 + 2 * peer->chunk_count > end || peer->chunk_size == 0) return -1;
    size_t data = end;
    for (int flag = 8; flag <= 16; flag *= 2) { /* name and comment */
        if (!(header[3] & flag)) continue;
        while (data < count && header[data]) data++;
        data++;
    }
    if (header[3] & 2) data += 2;
    peer->starts = malloc((peer->chunk_count + 1) * sizeof *peer->starts);
    if (!peer->starts) return -1;
    peer->starts[0] = data;
    for (size_t i = 0; i < peer->chunk_count; i++)
        peer->starts[i + 1] = peer->starts[i] + little(header + extra + 10 + 2 * i);
    return 0;
}

void *peer_open(const char *packed, size_t cache_size) {
    struct peer *peer = calloc(1, sizeof *peer);
    uint8_t header[1 << 17], size[4] = {0};
    peer->descriptor = open(packed, O_RDONLY | O_CLOEXEC);
    ssize_t count = pread(peer->descriptor, header, sizeof header, 0);
    off_t end = lseek(peer->descriptor, 0, SEEK_END);
    if (count < 0 || parse(peer, header, (size_t)count) != 0 || pread(peer->descriptor, size, 4, end - 4) != 4)
        return peer_close(peer), NULL;
    peer->document_size = little(size) | (uint64_t)little(size + 2) << 16;
    peer->input = malloc(1 << 16);
    if (!peer->input || inflateInit2(&peer->stream, -15) != Z_OK) return peer_close(peer), NULL;
    if (cache_size == 0) cache_size = 5 * peer->chunk_size;
    if (lru_init(&peer->lru, cache_size, peer->chunk_size, peer->chunk_count) != 0)
        return peer_close(peer), NULL;
    return peer;
}

static int load(struct peer *peer, size_t chunk, uint8_t *block) {
    size_t count = peer->starts[chunk + 1] - peer->starts[chunk];
    if (pread(peer->descriptor, peer->input, count, (off_t)peer->starts[chunk]) != (ssize_t)count) return -1;
    inflateReset(&peer->stream);
    peer->stream.next_in = peer->input;
    peer->stream.avail_in = (uInt)count;
    peer->stream.next_out = block;
    peer->stream.avail_out = (uInt)peer->chunk_size;
    int status = inflate(&peer->stream, Z_PARTIAL_FLUSH);
    return status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR ? 0 : -1;
}

int64_t peer_read(void *opaque, uint64_t offset, void *buffer, size_t count) {
    struct peer *peer = opaque;
    if (offset >= peer->document_size) return 0;
    if (count > peer->document_size - offset) count = peer->document_size - offset;
    size_t done = 0;
    while (done < count) {
        size_t chunk = (offset + done) / peer->chunk_size, start = (offset + done) % peer->chunk_size;
        size_t part = peer->chunk_size - start < count - done ? peer->chunk_size - start : count - done;
        int is_new;
        if (chunk >= peer->chunk_count) return -1;
        uint8_t *block = lru_get(&peer->lru, chunk, &is_new);
        if (is_new && load(peer, chunk, block) != 0) return -1;
        memcpy((char *)buffer + done, block + start, part);
        done += part;
    }
    return (int64_t)done;
}

void peer_close(void *opaque) {
    struct peer *peer = opaque;
    if (peer->descriptor >= 0) close(peer->descriptor);
    inflateEnd(&peer->stream);
    free(peer->input);
    free(peer->starts);
    lru_free(&peer->lru);
    free(peer);
}

/* indexed_gzip's engine (zran.c) over stdio, as its Python class uses it: points 4 MiB apart, behind a buffer of 1 MiB, without
   which each read would begin at a point anew. An imported index turns its CRC check off. */
#include "peer.h"
#include "gzip_pack.h"
#include "zran.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What zran_file_util.c gives, for files alone. */
int ferror_(FILE *fd, PyObject *f) { (void)f; return ferror(fd); }
int fseek_(FILE *fd, PyObject *f, int64_t offset, int whence) { (void)f; return fseeko(fd, offset, whence); }
int64_t ftell_(FILE *fd, PyObject *f) { (void)f; return ftello(fd); }
size_t fread_(void *p, size_t size, size_t n, FILE *fd, PyObject *f) { (void)f; return fread(p, size, n, fd); }
int feof_(FILE *fd, PyObject *f, size_t got) { (void)f; (void)got; return feof(fd); }
int fflush_(FILE *fd, PyObject *f) { (void)f; return fflush(fd); }
size_t fwrite_(const void *p, size_t size, size_t n, FILE *fd, PyObject *f) { (void)f; return fwrite(p, size, n, fd); }
int getc_(FILE *fd, PyObject *f) { (void)f; return getc(fd); }
int seekable_(FILE *fd, PyObject *f) { (void)fd; (void)f; return 1; }

enum { SPACING = 4 << 20, WINDOW = 32768, READ_BUFFER = 16384, AHEAD = 1 << 20 };

struct peer {
    zran_index_t index;
    uint64_t start; /* of the buffer's bytes */
    size_t count;
    uint8_t buffer[AHEAD];
};

const char *peer_version(void) { return "indexed_gzip " INDEXED_GZIP_VERSION ", its engine"; }

static FILE *open_index(const char *packed, const char *mode) {
    char path[4096];
    snprintf(path, sizeof path, "%s.index", packed);
    return fopen(path, mode);
}

int peer_pack(const char *document, const char *packed, int setting) {
    if (gzip_pack(document, packed, setting) != 0) return -1;
    zran_index_t index;
    FILE *file = fopen(packed, "rb"), *out = open_index(packed, "wb");
    int result = file && out && zran_init(&index, file, NULL, SPACING, WINDOW, READ_BUFFER, 0) == 0 ? 0 : -1;
    if (result == 0) {
        if (zran_build_index(&index, 0, 0) != ZRAN_BUILD_INDEX_OK
            || zran_export_index(&index, out, NULL) != ZRAN_EXPORT_OK)
            result = -1;
        zran_free(&index);
    }
    if (file) fclose(file);
    if (out) fclose(out);
    return result;
}

void *peer_open(const char *packed, size_t cache_size) {
    (void)cache_size;
    struct peer *peer = malloc(sizeof *peer);
    FILE *file = fopen(packed, "rb"), *in = open_index(packed, "rb");
    int is_open = peer && file && in && zran_init(&peer->index, file, NULL, SPACING, WINDOW, READ_BUFFER, 0) == 0;
    if (is_open && zran_import_index(&peer->index, in, NULL) != ZRAN_IMPORT_OK) {
        zran_free(&peer->index);
        is_open = 0;
    }
    if (in) fclose(in);
    if (is_open) {
        peer->count = 0;
        return peer;
    }
    if (file) fclose(file);
    free(peer);
    return NULL;
}

static int fill(struct peer *peer, uint64_t offset) {
    peer->start = offset;
    peer->count = 0;
    if (zran_seek(&peer->index, (int64_t)offset, SEEK_SET, NULL) != ZRAN_SEEK_OK) return 0;
    int64_t count = zran_read(&peer->index, peer->buffer, AHEAD);
    if (count < 0) return count == ZRAN_READ_EOF ? 0 : -1;
    peer->count = (size_t)count;
    return 0;
}

int64_t peer_read(void *opaque, uint64_t offset, void *buffer, size_t count) {
    struct peer *peer = opaque;
    size_t done = 0;
    while (done < count) {
        uint64_t at = offset + done;
        if (at < peer->start || at >= peer->start + peer->count) {
            if (fill(peer, at) != 0) return -1;
            if (peer->count == 0) break;
        }
        size_t skip = (size_t)(at - peer->start);
        size_t part = peer->count - skip < count - done ? peer->count - skip : count - done;
        memcpy((char *)buffer + done, peer->buffer + skip, part);
        done += part;
    }
    return (int64_t)done;
}

void peer_close(void *opaque) {
    struct peer *peer = opaque;
    FILE *file = peer->index.fd;
    zran_free(&peer->index);
    fclose(file);
    free(peer);
}

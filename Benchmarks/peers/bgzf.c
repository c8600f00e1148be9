/* htslib's BGZF with its .gzi index and its own block cache. */
#include "peer.h"

#include <htslib/bgzf.h>
#include <htslib/hts.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *peer_version(void) {
    static char text[64];
    snprintf(text, sizeof text, "htslib %s", hts_version());
    return text;
}

int peer_pack(const char *document, const char *packed, int setting) {
    char mode[8];
    snprintf(mode, sizeof mode, "w%d", setting);
    FILE *in = fopen(document, "rb");
    BGZF *out = in ? bgzf_open(packed, mode) : NULL;
    int result = out ? bgzf_index_build_init(out) : -1;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (out && cores > 1) bgzf_mt(out, (int)cores, 256);
    static _Thread_local char buffer[1 << 16];
    size_t count;
    while (result == 0 && (count = fread(buffer, 1, sizeof buffer, in)) > 0)
        if (bgzf_write(out, buffer, count) != (ssize_t)count) result = -1;
    if (result == 0 && bgzf_flush(out) < 0) result = -1;
    if (result == 0) result = bgzf_index_dump(out, packed, ".index");
    if (out && bgzf_close(out) < 0) result = -1;
    if (in) fclose(in);
    return result;
}

void *peer_open(const char *packed, size_t cache_size) {
    BGZF *file = bgzf_open(packed, "r");
    if (!file) return NULL;
    if (bgzf_index_load(file, packed, ".index") < 0) {
        bgzf_close(file);
        return NULL;
    }
    if (cache_size > 0) bgzf_set_cache_size(file, (int)cache_size);
    return file;
}

int64_t peer_read(void *peer, uint64_t offset, void *buffer, size_t count) {
    if (bgzf_useek(peer, (off_t)offset, SEEK_SET) < 0) return -1;
    return bgzf_read(peer, buffer, count);
}

void peer_close(void *peer) { bgzf_close(peer); }

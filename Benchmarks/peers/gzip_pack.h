/* An ordinary gzip file of one member, for the peers that index such files. */
#ifndef QUIRE_BENCH_GZIP_PACK_H
#define QUIRE_BENCH_GZIP_PACK_H

#include <stdio.h>
#include <zlib.h>

static int gzip_pack(const char *document, const char *packed, int level) {
    static char buffer[1 << 16];
    char mode[8];
    snprintf(mode, sizeof mode, "wb%d", level);
    FILE *in = fopen(document, "rb");
    gzFile out = in ? gzopen(packed, mode) : NULL;
    int result = out ? 0 : -1;
    size_t count;
    while (result == 0 && (count = fread(buffer, 1, sizeof buffer, in)) > 0)
        if (gzwrite(out, buffer, (unsigned)count) != (int)count) result = -1;
    if (out && gzclose(out) != Z_OK) result = -1;
    if (in) fclose(in);
    return result;
}

#endif

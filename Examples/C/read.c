/* Prints a part of the document in a store: read STORE OFFSET COUNT. Build with: cc read.c -lquire */
#include <quire.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what) {
    fprintf(stderr, "read: %s: %s (%s)\n", what, quire_error_text(), quire_code_name(quire_error_code()));
    return 1;
}

int main(int argc, char **argv) {
    quire_options options = QUIRE_OPTIONS_INIT;
    quire_store *store;
    uint64_t offset, end;
    char buffer[65536];

    if (argc != 4) {
        fprintf(stderr, "usage: read STORE OFFSET COUNT\n");
        return 2;
    }
    options.cache_bytes = 16 << 20;
    if (quire_open(argv[1], &options, &store) != QUIRE_OK) return fail(argv[1]);
    offset = strtoull(argv[2], NULL, 10);
    end = offset + strtoull(argv[3], NULL, 10);
    while (offset < end) {
        size_t wanted = end - offset < sizeof buffer ? (size_t)(end - offset) : sizeof buffer;
        int64_t count = quire_read(store, offset, buffer, wanted);
        if (count < 0) {
            quire_close(store);
            return fail(argv[1]);
        }
        if (count == 0) break; /* the end of the document */
        fwrite(buffer, 1, (size_t)count, stdout);
        offset += (uint64_t)count;
    }
    quire_close(store);
    return 0;
}

/* What the library of each peer exports. It is built on this machine and loaded by bench at run time.
   A handle is used by one thread at a time. */
#ifndef QUIRE_BENCH_PEER_H
#define QUIRE_BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>

/* The library that is measured, and its version. */
const char *peer_version(void);

/* Packs a document into `packed`; an index that is a file of its own goes to `packed` with ".index" behind it.
   `setting` is the peer's own: a level. 0, or -1. */
int peer_pack(const char *document, const char *packed, int setting);

/* Opens what peer_pack made. `cache_size`: bytes of decoded blocks that it may keep, 0 for what it keeps of itself.
   NULL on failure. */
void *peer_open(const char *packed, size_t cache_size);

/* The bytes read, fewer than `count` only at the end of the document; negative on failure. */
int64_t peer_read(void *peer, uint64_t offset, void *buffer, size_t count);

void peer_close(void *peer);

#endif

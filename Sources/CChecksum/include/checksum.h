#pragma once

#include <stddef.h>
#include <stdint.h>

// Folds the whole multiples of 64 bytes of a message into 16 bytes that have the same CRC-32 (RFC 1952).
//
// `seed` is the CRC of what comes before, as zlib gives it. The CRC of `folded`, begun with a register of 0, is that of
// the bytes that were folded. Gives the number of bytes that were: 0 where the processor cannot do it.
__attribute__((visibility("hidden")))
size_t quire_crc32_fold(uint32_t seed, const uint8_t *bytes, size_t count, uint8_t folded[16]);

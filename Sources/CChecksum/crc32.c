#include "checksum.h"

#if defined(__x86_64__)
#include <immintrin.h>

// Multiplies both halves of `x` by the powers of x that lie in `k`, modulo the polynomial: moves them on in the message.
__attribute__((target("pclmul,sse4.1"))) static inline __m128i moved(__m128i x, __m128i k) {
    return _mm_xor_si128(_mm_clmulepi64_si128(x, k, 0x00), _mm_clmulepi64_si128(x, k, 0x11));
}

// Gopal and others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel, 2009: four
// registers of 16 bytes go over the message, each moved on by 64 bytes a step, and are folded into one.
__attribute__((target("pclmul,sse4.1"))) static void fold(
    uint32_t seed, const uint8_t *bytes, size_t count, uint8_t folded[16]) {
    // x^(512 + 32), x^(512 - 32) and x^(128 + 32), x^(128 - 32) modulo the polynomial, reflected.
    const __m128i by64 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    const __m128i by16 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    __m128i x[4];
    for (int i = 0; i < 4; i++) x[i] = _mm_loadu_si128((const __m128i *)bytes + i);
    x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128((int)~seed));
    for (const uint8_t *at = bytes + 64; at < bytes + count; at += 64) {
        for (int i = 0; i < 4; i++) {
            x[i] = _mm_xor_si128(moved(x[i], by64), _mm_loadu_si128((const __m128i *)at + i));
        }
    }
    for (int i = 1; i < 4; i++) x[0] = _mm_xor_si128(moved(x[0], by16), x[i]);
    _mm_storeu_si128((__m128i *)folded, x[0]);
}

size_t quire_crc32_fold(uint32_t seed, const uint8_t *bytes, size_t count, uint8_t folded[16]) {
    if (count < 64 || !__builtin_cpu_supports("pclmul") || !__builtin_cpu_supports("sse4.1")) return 0;
    count &= ~(size_t)63;
    fold(seed, bytes, count, folded);
    return count;
}
#else
size_t quire_crc32_fold(uint32_t seed, const uint8_t *bytes, size_t count, uint8_t folded[16]) {
    (void)seed, (void)bytes, (void)count, (void)folded;
    return 0;
}
#endif

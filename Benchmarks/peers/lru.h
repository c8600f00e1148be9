/* A least recently used cache of blocks of one size, for peers that have none. */
#ifndef QUIRE_BENCH_LRU_H
#define QUIRE_BENCH_LRU_H

#include <stdint.h>
#include <stdlib.h>

struct lru {
    size_t block_size, block_count;
    int slot_count, used;
    uint8_t *memory; /* page-aligned: unaligned copies are slower */
    int *slot_of;    /* by block, -1 if it is not held */
    struct lru_slot { size_t block; int newer, older; } *slots;
    int newest, oldest;
};

static int lru_init(struct lru *lru, size_t cache_size, size_t block_size, size_t block_count) {
    *lru = (struct lru){.block_size = block_size, .block_count = block_count, .newest = -1, .oldest = -1};
    size_t slots = cache_size / block_size;
    if (slots < 1) slots = 1;
    if (slots > block_count && block_count > 0) slots = block_count;
    lru->slot_count = (int)slots;
    lru->slots = malloc(slots * sizeof *lru->slots);
    lru->slot_of = malloc((block_count + 1) * sizeof *lru->slot_of);
    if (!lru->slots || !lru->slot_of) return -1;
    for (size_t i = 0; i < block_count; i++) lru->slot_of[i] = -1;
    return posix_memalign((void **)&lru->memory, 4096, slots * block_size) == 0 ? 0 : -1;
}

static void lru_free(struct lru *lru) {
    free(lru->memory);
    free(lru->slots);
    free(lru->slot_of);
}

static void lru_unlink(struct lru *lru, int slot) {
    struct lru_slot *s = &lru->slots[slot];
    if (s->newer >= 0) lru->slots[s->newer].older = s->older; else lru->newest = s->older;
    if (s->older >= 0) lru->slots[s->older].newer = s->newer; else lru->oldest = s->newer;
}

static void lru_push(struct lru *lru, int slot) {
    lru->slots[slot].newer = -1;
    lru->slots[slot].older = lru->newest;
    if (lru->newest >= 0) lru->slots[lru->newest].newer = slot; else lru->oldest = slot;
    lru->newest = slot;
}

/* The memory of a block. `*is_new` says that the caller has to fill it; what fails then ends the reading. */
static uint8_t *lru_get(struct lru *lru, size_t block, int *is_new) {
    int slot = lru->slot_of[block];
    *is_new = slot < 0;
    if (slot < 0) {
        if (lru->used < lru->slot_count) {
            slot = lru->used++;
        } else {
            slot = lru->oldest;
            lru_unlink(lru, slot);
            lru->slot_of[lru->slots[slot].block] = -1;
        }
        lru->slots[slot].block = block;
        lru->slot_of[block] = slot;
        lru_push(lru, slot);
    } else if (slot != lru->newest) {
        lru_unlink(lru, slot);
        lru_push(lru, slot);
    }
    return lru->memory + (size_t)slot * lru->block_size;
}

#endif

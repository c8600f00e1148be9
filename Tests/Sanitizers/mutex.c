// Tells ThreadSanitizer of the slow paths of Swift's Mutex, which it cannot see: on Linux they are in libswiftSynchronization, which is
// not instrumented, and the kernel changes the word of the futex. Without them every mutex that ever was waited for looks like a race.
// For LD_PRELOAD, by Scripts/sanitize.sh; built with Swift's own clang, as the functions have Swift's calling convention.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define SLOW(name) "$s15Synchronization12_MutexHandleV" name

void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(SLOW("9_lockSlowyys6UInt32VF"));
SWIFT bool try_lock_slow(SELF) __asm__(SLOW("12_tryLockSlowSbyF"));
SWIFT void unlock_slow(SELF) __asm__(SLOW("11_unlockSlowyyF"));

SWIFT void lock_slow(uint32_t thread, SELF) {
    static SWIFT void (*next)(uint32_t, SELF);
    if (!next) next = dlsym(RTLD_NEXT, SLOW("9_lockSlowyys6UInt32VF"));
    next(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF) {
    static SWIFT bool (*next)(SELF);
    if (!next) next = dlsym(RTLD_NEXT, SLOW("12_tryLockSlowSbyF"));
    bool locked = next(self);
    if (locked && __tsan_acquire) __tsan_acquire(self);
    return locked;
}

SWIFT void unlock_slow(SELF) {
    static SWIFT void (*next)(SELF);
    if (!next) next = dlsym(RTLD_NEXT, SLOW("11_unlockSlowyyF"));
    if (__tsan_release) __tsan_release(self);
    next(self);
}

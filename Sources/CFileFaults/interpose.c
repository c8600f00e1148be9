#ifdef __linux__
#define _GNU_SOURCE
#include "file_faults.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum effect { NONE, BEFORE, AFTER, HALF, ERROR, SHORT, DELAY, FORK };
enum { DESCRIPTORS = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *folder, *counted;
static size_t folder_length;
static long at = -1, count, delay;
static enum effect effect;
static int error_number, is_lasting, calls = -1, log_file = -1;
/* 0: not in the folder; 1: a file in it; 2: the folder itself */
static unsigned char tracked[DESCRIPTORS];

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int open_unseen(const char *variable) {
    const char *path = getenv(variable);
    return path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
}

__attribute__((constructor)) static void begin(void) {
    static const char *const names[] = {"", "before", "after", "half", "error", "short", "delay", "fork"};
    const char *value = getenv("QUIRE_FAULT_EFFECT");
    for (int i = BEFORE; value && i <= FORK; i++)
        if (strcmp(value, names[i]) == 0) effect = i;
    if ((value = getenv("QUIRE_FAULT_AT"))) at = atol(value);
    if ((value = getenv("QUIRE_FAULT_ERRNO"))) error_number = atoi(value);
    if ((value = getenv("QUIRE_FAULT_DELAY"))) delay = atol(value);
    counted = getenv("QUIRE_FAULT_OF");
    is_lasting = getenv("QUIRE_FAULT_LASTING") != NULL;
    calls = open_unseen("QUIRE_FAULT_CALLS");
    log_file = open_unseen("QUIRE_FAULT_LOG");
    folder = getenv("QUIRE_FAULT_FOLDER");
    folder_length = folder ? strlen(folder) : 0;
}

/* 0: elsewhere; 1: in the folder; 2: the folder itself */
static int place(const char *path) {
    if (!folder || !path || strncmp(path, folder, folder_length) != 0) return 0;
    return path[folder_length] == '/' ? 1 : path[folder_length] == 0 ? 2 : 0;
}

static int place_of(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS ? tracked[descriptor] : 0;
}

static const char *name(const char *path) { return path + folder_length + (path[folder_length] == '/'); }

static void end_process(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static void put(int file, const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (file >= 0) (void)!syscall(SYS_write, file, line, length);
}

/* One line for each change, a write's bytes behind it. Files are called by their inode. */
#define record(...) put(log_file, __VA_ARGS__)

static unsigned long inode(int descriptor) {
    struct stat status;
    memset(&status, 0, sizeof status);
    syscall(SYS_newfstatat, descriptor, "", &status, AT_EMPTY_PATH);
    return (unsigned long)status.st_ino;
}

static int is_counted(const char *call) {
    if (!counted) return 1;
    size_t length = strlen(call);
    for (const char *word = counted; word; word = strchr(word, ',')) {
        word += *word == ',';
        if (strncmp(word, call, length) == 0 && (word[length] == ',' || word[length] == 0)) return 1;
    }
    return 0;
}

/* Counts a call; the process ends here if it is to end before it. */
static enum effect enter(const char *call) {
    pthread_mutex_lock(&lock);
    put(calls, "%s\n", call);
    if (!is_counted(call)) return NONE;
    long number = count++;
    enum effect now = number == at || (is_lasting && number > at && at >= 0) ? effect : NONE;
    if (now == BEFORE) end_process();
    if (now == DELAY) {
        pthread_mutex_unlock(&lock);
        usleep((useconds_t)delay);
        pthread_mutex_lock(&lock);
        now = NONE;
    }
    if (now == FORK) {
        if (fork() == 0) {
            sleep(8);
            _exit(0);
        }
        now = ERROR;
    }
    return now;
}

static void leave(enum effect now) {
    if (now == AFTER || now == HALF) end_process();
    int kept = errno;
    pthread_mutex_unlock(&lock);
    errno = kept;
}

/* The body of a call that is made, or fails, as a whole. */
#define WHOLE(call, made) \
    enum effect now = enter(call); \
    if (now == ERROR) errno = error_number; \
    long result = now == ERROR ? -1 : (long)(made)

static size_t part(enum effect now, size_t size) {
    return now == HALF || now == SHORT ? (size > 1 ? size / 2 : size) : size;
}

/* Opening */

static int opened(const char *path, int flags, mode_t mode, int is_in_folder) {
    struct stat status;
    int existed = (flags & O_CREAT) && syscall(SYS_newfstatat, AT_FDCWD, path, &status, 0) == 0;
    WHOLE(flags & O_CREAT ? "create" : is_in_folder == 2 ? "openFolder" : "open",
          syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode));
    if (result >= 0 && result < DESCRIPTORS) tracked[result] = is_in_folder;
    if (result >= 0 && (flags & O_CREAT) && !existed)
        record("create %lu %s\n", inode((int)result), name(path));
    leave(now);
    return (int)result;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list arguments; \
        va_start(arguments, flags); \
        mode = va_arg(arguments, mode_t); \
        va_end(arguments); \
    }
#define OPEN(called) \
    int called(const char *path, int flags, ...) { \
        MODE(flags) \
        REAL(called); \
        int where = place(path); \
        return where ? opened(path, flags, mode, where) : real(path, flags, mode); \
    }
#define OPENAT(called) \
    int called(int from, const char *path, int flags, ...) { \
        MODE(flags) \
        REAL(called); \
        int where = place(path); \
        return where ? opened(path, flags, mode, where) : real(from, path, flags, mode); \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

int close(int descriptor) {
    REAL(close);
    int where = place_of(descriptor);
    if (!where) return real(descriptor);
    tracked[descriptor] = 0;
    enum effect now = enter("close");
    int result = real(descriptor); /* it is closed even if that fails */
    if (now == ERROR) {
        errno = error_number;
        result = -1;
    }
    leave(now);
    return result;
}

/* Reading */

#define PREAD(called) \
    ssize_t called(int descriptor, void *buffer, size_t size, off_t offset) { \
        REAL(called); \
        if (!place_of(descriptor)) return real(descriptor, buffer, size, offset); \
        WHOLE("read", real(descriptor, buffer, part(now, size), offset)); \
        leave(now); \
        return result; \
    }
PREAD(pread)
PREAD(pread64)

ssize_t read(int descriptor, void *buffer, size_t size) {
    REAL(read);
    if (!place_of(descriptor)) return real(descriptor, buffer, size);
    WHOLE("read", real(descriptor, buffer, part(now, size)));
    leave(now);
    return result;
}

/* Writing */

static void record_write(int descriptor, const void *bytes, off_t offset, long size) {
    if (log_file < 0 || size <= 0) return;
    record("write %lu %lld %ld\n", inode(descriptor), (long long)offset, size);
    (void)!syscall(SYS_write, log_file, bytes, size);
}

#define PWRITE(called) \
    ssize_t called(int descriptor, const void *bytes, size_t size, off_t offset) { \
        REAL(called); \
        if (!place_of(descriptor)) return real(descriptor, bytes, size, offset); \
        WHOLE("write", real(descriptor, bytes, part(now, size), offset)); \
        record_write(descriptor, bytes, offset, result); \
        leave(now); \
        return result; \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

ssize_t write(int descriptor, const void *bytes, size_t size) {
    REAL(write);
    if (!place_of(descriptor)) {
        /* What the process says is part of the order: by then the save was acknowledged. */
        if (descriptor == STDOUT_FILENO && log_file >= 0) {
            pthread_mutex_lock(&lock);
            record("print %.*s", (int)size, (const char *)bytes);
            pthread_mutex_unlock(&lock);
        }
        return real(descriptor, bytes, size);
    }
    off_t offset = lseek(descriptor, 0, SEEK_CUR);
    WHOLE("write", real(descriptor, bytes, part(now, size)));
    record_write(descriptor, bytes, offset, result);
    leave(now);
    return result;
}

#define TRUNCATE(called) \
    int called(int descriptor, off_t size) { \
        REAL(called); \
        if (!place_of(descriptor)) return real(descriptor, size); \
        WHOLE("truncate", real(descriptor, size)); \
        if (result == 0) record("truncate %lu %lld\n", inode(descriptor), (long long)size); \
        leave(now); \
        return (int)result; \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

#define SYNC(called) \
    int called(int descriptor) { \
        REAL(called); \
        int where = place_of(descriptor); \
        if (!where) return real(descriptor); \
        WHOLE(where == 2 ? "syncFolder" : "sync", real(descriptor)); \
        if (result == 0 && where == 2) record("syncfolder\n"); \
        if (result == 0 && where == 1) record("sync %lu\n", inode(descriptor)); \
        leave(now); \
        return (int)result; \
    }
SYNC(fsync)
SYNC(fdatasync)

/* Names */

int rename(const char *from, const char *to) {
    REAL(rename);
    if (place(from) != 1 || place(to) != 1) return real(from, to);
    WHOLE("rename", real(from, to));
    if (result == 0) record("rename %s %s\n", name(from), name(to));
    leave(now);
    return (int)result;
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    REAL(renameat2);
    if (place(from) != 1 || place(to) != 1) return real(from_folder, from, to_folder, to, flags);
    WHOLE("rename", real(from_folder, from, to_folder, to, flags));
    if (result == 0) record("rename %s %s\n", name(from), name(to));
    leave(now);
    return (int)result;
}

int link(const char *from, const char *to) {
    REAL(link);
    if (place(from) != 1 || place(to) != 1) return real(from, to);
    WHOLE("link", real(from, to));
    if (result == 0) record("link %s %s\n", name(from), name(to));
    leave(now);
    return (int)result;
}

int unlink(const char *path) {
    REAL(unlink);
    if (place(path) != 1) return real(path);
    WHOLE("unlink", real(path));
    if (result == 0) record("unlink %s\n", name(path));
    leave(now);
    return (int)result;
}

/* Locks, status and permissions */

#define FCNTL(called) \
    int called(int descriptor, int command, ...) { \
        REAL(called); \
        va_list arguments; \
        va_start(arguments, command); \
        void *argument = va_arg(arguments, void *); \
        va_end(arguments); \
        int is_lock = command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_SETLK; \
        if (!is_lock || !place_of(descriptor)) return real(descriptor, command, argument); \
        WHOLE(((struct flock *)argument)->l_type == F_UNLCK ? "unlock" : "lock", \
              real(descriptor, command, argument)); \
        leave(now); \
        return (int)result; \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

int ioctl(int descriptor, unsigned long request, ...) {
    REAL(ioctl);
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (!place_of(descriptor)) return real(descriptor, request, argument);
    WHOLE("ioctl", real(descriptor, request, argument));
    leave(now);
    return (int)result;
}

#define FSTAT(called, type) \
    int called(int descriptor, struct type *status) { \
        REAL(called); \
        if (!place_of(descriptor)) return real(descriptor, status); \
        WHOLE("status", real(descriptor, status)); \
        leave(now); \
        return (int)result; \
    }
FSTAT(fstat, stat)
FSTAT(fstat64, stat64)

#define STAT(called, type) \
    int called(const char *path, struct type *status) { \
        REAL(called); \
        if (place(path) != 1) return real(path, status); \
        WHOLE("status", real(path, status)); \
        leave(now); \
        return (int)result; \
    }
STAT(stat, stat)
STAT(stat64, stat64)

int fchmod(int descriptor, mode_t mode) {
    REAL(fchmod);
    if (!place_of(descriptor)) return real(descriptor, mode);
    WHOLE("permissions", real(descriptor, mode));
    leave(now);
    return (int)result;
}

int fchown(int descriptor, uid_t owner, gid_t group) {
    REAL(fchown);
    if (!place_of(descriptor)) return real(descriptor, owner, group);
    WHOLE("permissions", real(descriptor, owner, group));
    leave(now);
    return (int)result;
}
#endif

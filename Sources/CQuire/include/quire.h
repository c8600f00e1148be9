/*
 * quire.h - read and save Quire's stores from C, and from whatever can call C.
 *
 *     quire_store *store;
 *     if (quire_open("report.pdf.gz", NULL, &store) != QUIRE_OK)
 *         die(quire_error_text());
 *     int64_t count = quire_read(store, 16384, buffer, sizeof buffer);
 *     quire_close(store);
 *
 * Build with -lquire. Installed by `make install`.
 *
 * Errors. Functions give QUIRE_OK, or a count of 0 or more; else a negative QUIRE_... code. The text and the code of a
 * thread's last error are kept for that thread, as errno is: quire_error_text(), quire_error_code().
 *
 * Handles. A quire_store or quire_sink is a number in the clothes of a pointer: it points nowhere, and none is given
 * twice in a process. NULL, a closed handle, one of the other kind and one that was never given are safe to pass: they
 * are QUIRE_NO_HANDLE, or nothing to close. A handle that is never closed keeps its file open.
 *
 * Arguments. NULL for what must be there, a text that is not UTF-8, an unknown flag or number are
 * QUIRE_INVALID_ARGUMENT. Memory must be as large as is said: that is all that cannot be checked.
 *
 * Threads. Every function may be called from any thread at any time, with the same handles: reads run at once, a sink
 * does one thing at a time, a handle that one thread closes stays good for the calls that other threads are in. After
 * fork() only the parent may go on using the library; a child begins anew after exec().
 *
 * Versions. What is here stays. New functions, codes and fields at the end of quire_options may come; QUIRE_API and
 * quire_api() then count one up.
 */
#ifndef QUIRE_H
#define QUIRE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. */
#define QUIRE_API 1

/* The version of the library: a number that is QUIRE_API or more has all that is declared here. */
uint32_t quire_api(void);

/* ---- Errors ---------------------------------------------------------------------------------------------------- */

enum {
    QUIRE_OK = 0,
    QUIRE_NOT_A_STORE = -1,
    QUIRE_UNSUPPORTED_VERSION = -2,   /* the store is of a later format version */
    QUIRE_UNSUPPORTED_FEATURE = -3,   /* the store needs a feature that is not known here */
    QUIRE_DAMAGED_FOOTER = -4,
    QUIRE_DAMAGED_INDEX = -5,
    QUIRE_DAMAGED_BLOCK = -6,         /* these bytes are lost; others can be read */
    QUIRE_TRUNCATED = -7,             /* the stored bytes end too early */
    QUIRE_FOREIGN_TAIL = -8,          /* something else follows the store */
    QUIRE_LIMIT_EXCEEDED = -9,
    QUIRE_INVALID_ARGUMENT = -10,
    QUIRE_UNSUPPORTED_OPERATION = -11,
    QUIRE_CONFLICT = -12,             /* another save came first; or the file is there */
    QUIRE_NOT_DURABLE = -13,          /* saved and read from now on, but a power cut may undo it */
    QUIRE_FILE_NOT_FOUND = -14,
    QUIRE_FILE_SYSTEM = -15,          /* the system refused, the text says what */
    QUIRE_NO_HANDLE = -16,            /* NULL, closed, or never given */
    QUIRE_OTHER = -17                 /* an error without a code of its own here */
};

/* The name of a code, "conflict" for QUIRE_CONFLICT; "unknown" for no code. Static text. */
const char *quire_code_name(int code);

/* The code of this thread's last error; QUIRE_OK before the first. A call that succeeds does not change it. */
int quire_error_code(void);

/* One line of UTF-8 that says what this thread's last error was; "" before the first, never NULL. Cut off after 1,023
 * bytes. It belongs to the library, and stays until the next error of this thread. */
const char *quire_error_text(void);

/* ---- Options --------------------------------------------------------------------------------------------------- */

enum { QUIRE_BALANCED = 0, QUIRE_SIZE = 1, QUIRE_SPEED = 2 };   /* favor: what new blocks are made for */
enum { QUIRE_STORE_ALL = -1 };                                  /* level: deflate nothing */
enum { QUIRE_OVERWRITE = 1 };                                   /* flags: quire_create may replace a file */

/* How a store is opened and written. Zero is the default of each field; NULL stands for all of them. */
typedef struct quire_options {
    uint32_t size;          /* sizeof(quire_options): tells a library which fields its caller knows. Zeros may follow. */
    uint32_t flags;         /* QUIRE_OVERWRITE */
    int32_t level;          /* how hard to try for new blocks: 1...9 (12 with libdeflate), default 6 */
    int32_t favor;          /* QUIRE_BALANCED, QUIRE_SIZE, QUIRE_SPEED */
    uint32_t block_size;    /* bytes of a block of a store made anew: 512...1048576; default 65536, for QUIRE_SIZE 524288 */
    uint32_t reserved;      /* 0 */
    uint64_t cache_bytes;   /* bytes of inflated blocks to keep; default 4 MiB; one block always is */
} quire_options;

#define QUIRE_OPTIONS_INIT { sizeof(quire_options), 0, 0, 0, 0, 0, 0 }

/* ---- Reading --------------------------------------------------------------------------------------------------- */

typedef struct quire_store quire_store;   /* a store in a file, opened */

/* Opens the store in the file `path` (UTF-8). Sets *store to its handle, on an error to NULL. */
int quire_open(const char *path, const quire_options *options, quire_store **store);

/* Closes a store. Its sinks, snapshots and streams stay good. Closing NULL, or a second time, is harmless. */
void quire_close(quire_store *store);

/* Bytes of the document, not of the file. */
int64_t quire_size(quire_store *store);

/* Reads up to `count` bytes of the document from `offset` on into `buffer`. Fewer only where the document ends: 0 at its end
 * and past it. Every byte given has been checked. On an error `buffer` may hold anything. `buffer` may be NULL if
 * `count` is 0. */
int64_t quire_read(quire_store *store, uint64_t offset, void *buffer, size_t count);

/* Copies the identity of the document, which saves keep and copies of the file share: "quire-" and a UUID. As
 * snprintf it gives the length, and writes at most `capacity` bytes, of which the last is 0. QUIRE_UID_SIZE bytes do. */
int quire_uid(quire_store *store, char *buffer, size_t capacity);
#define QUIRE_UID_SIZE 43

/* The number of the revision that is read: 1 for a new store, one more at each save. */
int64_t quire_revision(quire_store *store);

/* Reads from now on what is in the file now. A store is else read as it was when it was opened, refreshed or saved
 * through its handle, whatever others save. On an error nothing can be read until a refresh succeeds. */
int quire_refresh(quire_store *store);

/* Makes a handle of its own on the present revision: it reads that one until it is closed, whatever is saved or refreshed. It
 * can be read, not saved or refreshed (QUIRE_UNSUPPORTED_OPERATION). What takes long to read a document should read a
 * snapshot. Costs nothing, shares the cache. */
int quire_snapshot(quire_store *store, quire_store **snapshot);

/* Opens a stdio stream on the present revision, to read and to seek in; close it with fclose. NULL on an error. A read that
 * fails sets the stream's error indicator and errno to EIO. */
FILE *quire_stream(quire_store *store);

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

typedef struct quire_sink quire_sink;   /* a save under way: readers see nothing of it before the commit */

enum {
    QUIRE_REPLACE = 0,      /* what is written is the new document */
    QUIRE_APPEND = 1,       /* what is written follows the present document: costs what it adds */
    QUIRE_INCREMENTAL = 2   /* what is written begins with the present document and goes on, as an editor writes an
                               incremental save: compared, and stored as QUIRE_APPEND does; else QUIRE_CONFLICT */
};

/* Begins a save of a store. Sets *sink to its handle, on an error to NULL. It ends with quire_commit or quire_abandon. */
int quire_begin(quire_store *store, int mode, quire_sink **sink);

/* Begins a new store in the file `path`, which appears whole at the commit. A file that is there is QUIRE_CONFLICT, here or at
 * the commit, without the flag QUIRE_OVERWRITE. */
int quire_create(const char *path, const quire_options *options, quire_sink **sink);

/* Takes `count` bytes more. After an error the save has failed: commit says the same again. */
int quire_write(quire_sink *sink, const void *bytes, size_t count);

/* Ends a save: all of it, durably, or nothing, with an error. The sink is closed either way. The store's handle then reads the
 * new revision. */
int quire_commit(quire_sink *sink);

/* Ends a save without a trace. NULL, or a sink that was ended, is harmless. */
void quire_abandon(quire_sink *sink);

#ifdef __cplusplus
}
#endif

#endif

/* libquire as a C program meets it: quire_test FOLDER PLAIN. Compiled as C99 and as C++. Says which check failed. */
#include <quire.h>

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                          \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            fprintf(stderr, "quire_test.c:%d: %s; last error %d: %s\n", __LINE__, #condition,     \
                    quire_error_code(), quire_error_text());                                      \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

static const char *folder;
static unsigned char *plain;
static size_t plain_size;

static const char *in_folder(const char *name) {
    static char paths[4][PATH_MAX];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return path;
}

static uint64_t random_number(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void load(const char *path) {
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    plain = (unsigned char *)malloc(1 << 24);
    CHECK(plain != NULL);
    plain_size = fread(plain, 1, 1 << 24, file);
    CHECK(plain_size > 50000);
    fclose(file);
}

static quire_store *opened(const char *name) {
    quire_store *store = NULL;
    CHECK(quire_open(in_folder(name), NULL, &store) == QUIRE_OK);
    CHECK(store != NULL);
    return store;
}

static void save(quire_store *store, int mode, const void *bytes, size_t count) {
    quire_sink *sink;
    CHECK(quire_begin(store, mode, &sink) == QUIRE_OK);
    CHECK(quire_write(sink, bytes, count) == QUIRE_OK);
    CHECK(quire_commit(sink) == QUIRE_OK);
}

static void expect(quire_store *store, const void *bytes, size_t count) {
    unsigned char *buffer = (unsigned char *)malloc(count + 1);
    CHECK(quire_size(store) == (int64_t)count);
    CHECK(quire_read(store, 0, buffer, count + 1) == (int64_t)count);
    CHECK(memcmp(buffer, bytes, count) == 0);
    free(buffer);
}

static void create(const char *name) {
    quire_sink *sink;
    size_t position = 0, piece = 1;
    CHECK(quire_create(in_folder(name), NULL, &sink) == QUIRE_OK);
    while (position < plain_size) {
        if (piece > plain_size - position) piece = plain_size - position;
        CHECK(quire_write(sink, plain + position, piece) == QUIRE_OK);
        position += piece;
        piece = piece * 3 + 1;
    }
    CHECK(quire_commit(sink) == QUIRE_OK);
}

static void test_reading(void) {
    static unsigned char buffer[20001];
    uint64_t state = 88172645463325252ull;
    quire_store *store = opened("a.gz");
    int round;
    CHECK(quire_size(store) == (int64_t)plain_size);
    CHECK(quire_revision(store) == 1);
    for (round = 0; round < 3000; round++) {
        size_t offset = (size_t)(random_number(&state) % (plain_size + 100));
        size_t count = (size_t)(random_number(&state) % 20000);
        size_t there = offset >= plain_size ? 0 : plain_size - offset < count ? plain_size - offset : count;
        buffer[there] = 0xA5;
        CHECK(quire_read(store, offset, buffer, count) == (int64_t)there);
        CHECK(memcmp(buffer, plain + offset, there) == 0);
        CHECK(buffer[there] == 0xA5);
    }
    CHECK(quire_read(store, plain_size, buffer, 1) == 0);
    CHECK(quire_read(store, UINT64_MAX, buffer, sizeof buffer) == 0);
    CHECK(quire_read(store, plain_size - 1, buffer, sizeof buffer) == 1);
    CHECK(quire_read(store, 0, NULL, 0) == 0);
    quire_close(store);
}

static void test_stream(void) {
    quire_store *store = opened("a.gz");
    FILE *stream = quire_stream(store);
    char text[6] = "";
    quire_close(store);
    CHECK(stream != NULL);
    CHECK(fread(text, 1, 5, stream) == 5 && strcmp(text, "%PDF-") == 0);
    CHECK(fseek(stream, -1, SEEK_END) == 0 && getc(stream) == plain[plain_size - 1] && getc(stream) == EOF);
    CHECK(fclose(stream) == 0);
}

static void test_identity(void) {
    quire_store *store = opened("a.gz");
    char uid[QUIRE_UID_SIZE], small[7] = "??????";
    CHECK(quire_uid(store, uid, sizeof uid) == QUIRE_UID_SIZE - 1);
    CHECK(strlen(uid) == QUIRE_UID_SIZE - 1 && strncmp(uid, "quire-", 6) == 0);
    CHECK(quire_uid(store, NULL, 0) == QUIRE_UID_SIZE - 1);
    CHECK(quire_uid(store, small, 6) == QUIRE_UID_SIZE - 1);
    CHECK(strcmp(small, "quire") == 0 && small[6] == 0);
    CHECK(quire_uid(store, small, 1) == QUIRE_UID_SIZE - 1 && small[0] == 0 && small[1] == 'u');
    CHECK(quire_uid(store, NULL, 1) == QUIRE_INVALID_ARGUMENT);
    quire_close(store);
    CHECK(quire_api() >= QUIRE_API);
}

static void test_saving(void) {
    quire_store *store, *other, *snapshot;
    quire_sink *sink, *second;
    static unsigned char both[1 << 20];
    create("saves.gz");
    store = opened("saves.gz");
    other = opened("saves.gz");
    CHECK(quire_snapshot(store, &snapshot) == QUIRE_OK);
    memcpy(both, plain, plain_size);
    memcpy(both + plain_size, "tail", 4);

    /* Nobody sees a save before its commit, others not before they refresh, a snapshot never. */
    CHECK(quire_begin(store, QUIRE_APPEND, &sink) == QUIRE_OK);
    CHECK(quire_write(sink, "tail", 4) == QUIRE_OK);
    expect(store, plain, plain_size);
    CHECK(quire_commit(sink) == QUIRE_OK);
    expect(store, both, plain_size + 4);
    CHECK(quire_revision(store) == 2 && quire_revision(snapshot) == 1 && quire_revision(other) == 1);
    expect(other, plain, plain_size);
    CHECK(quire_refresh(other) == QUIRE_OK);
    expect(other, both, plain_size + 4);

    /* An incremental save: the document again, and more. */
    memcpy(both + plain_size + 4, "more", 4);
    save(store, QUIRE_INCREMENTAL, both, plain_size + 8);
    expect(store, both, plain_size + 8);
    CHECK(quire_begin(store, QUIRE_INCREMENTAL, &sink) == QUIRE_OK);
    CHECK(quire_write(sink, "other", 5) == QUIRE_CONFLICT);
    CHECK(quire_commit(sink) == QUIRE_CONFLICT);
    CHECK(quire_begin(store, QUIRE_INCREMENTAL, &sink) == QUIRE_OK);
    CHECK(quire_write(sink, both, plain_size) == QUIRE_OK);
    CHECK(quire_commit(sink) == QUIRE_CONFLICT);
    expect(store, both, plain_size + 8);

    /* Of two saves one wins. */
    CHECK(quire_begin(store, QUIRE_APPEND, &sink) == QUIRE_OK);
    CHECK(quire_begin(store, QUIRE_REPLACE, &second) == QUIRE_OK);
    CHECK(quire_write(second, "new", 3) == QUIRE_OK);
    CHECK(quire_commit(second) == QUIRE_OK);
    CHECK(quire_commit(sink) == QUIRE_CONFLICT);
    expect(store, "new", 3);
    expect(other, both, plain_size + 4);
    expect(snapshot, plain, plain_size);
    quire_close(snapshot);
    quire_close(other);
    quire_close(store);
}

static void test_saving_from_behind(void) {
    quire_store *store = opened("saves.gz"), *behind = opened("saves.gz");
    quire_sink *sink;
    save(store, QUIRE_REPLACE, "", 0);
    expect(store, "", 0);
    save(store, QUIRE_APPEND, "1", 1);
    expect(store, "1", 1);
    CHECK(quire_begin(behind, QUIRE_REPLACE, &sink) == QUIRE_OK);
    CHECK(quire_write(sink, "lost", 4) == QUIRE_OK);
    CHECK(quire_commit(sink) == QUIRE_CONFLICT);

    /* Bytes that did not arrive: the save has failed, whatever follows. */
    CHECK(quire_begin(store, QUIRE_APPEND, &sink) == QUIRE_OK);
    CHECK(quire_write(sink, "abc", 3) == QUIRE_OK);
    CHECK(quire_write(sink, NULL, 5) == QUIRE_INVALID_ARGUMENT);
    CHECK(quire_write(sink, "def", 3) == QUIRE_OK);
    CHECK(quire_commit(sink) == QUIRE_INVALID_ARGUMENT);
    expect(store, "1", 1);
    CHECK(quire_refresh(behind) == QUIRE_OK);
    expect(behind, "1", 1);

    /* Abandoned: nothing happens. A sink outlives its store's handle. */
    CHECK(quire_begin(store, QUIRE_REPLACE, &sink) == QUIRE_OK);
    CHECK(quire_write(sink, plain, plain_size) == QUIRE_OK);
    quire_abandon(sink);
    expect(store, "1", 1);
    CHECK(quire_begin(store, QUIRE_APPEND, &sink) == QUIRE_OK);
    quire_close(store);
    CHECK(quire_write(sink, "2", 1) == QUIRE_OK);
    CHECK(quire_commit(sink) == QUIRE_OK);
    CHECK(quire_refresh(behind) == QUIRE_OK);
    expect(behind, "12", 2);
    quire_close(behind);
}

static void test_creating(void) {
    quire_options options = QUIRE_OPTIONS_INIT;
    quire_sink *sink;
    quire_store *store;
    CHECK(quire_create(in_folder("a.gz"), NULL, &sink) == QUIRE_CONFLICT && sink == NULL);
    create("new.gz");
    options.flags = QUIRE_OVERWRITE;
    options.level = 9;
    options.favor = QUIRE_SPEED;
    options.block_size = 512;
    CHECK(quire_create(in_folder("new.gz"), &options, &sink) == QUIRE_OK);
    CHECK(quire_write(sink, plain, 5000) == QUIRE_OK);
    store = opened("new.gz");
    expect(store, plain, plain_size);
    CHECK(quire_commit(sink) == QUIRE_OK);
    expect(store, plain, plain_size);
    CHECK(quire_refresh(store) == QUIRE_OK);
    expect(store, plain, 5000);
    quire_close(store);
    CHECK(quire_create(in_folder("abandoned.gz"), NULL, &sink) == QUIRE_OK);
    quire_abandon(sink);
}

static void test_handles(void) {
    char buffer[8];
    quire_store *closed = opened("a.gz"), *store = opened("a.gz"), *snapshot;
    quire_sink *sink, *ended;
    const void *wrong[5];
    size_t index;
    CHECK(quire_begin(store, QUIRE_APPEND, &sink) == QUIRE_OK);
    CHECK(quire_begin(store, QUIRE_APPEND, &ended) == QUIRE_OK);
    quire_abandon(ended);
    quire_close(closed);
    quire_close(closed);
    wrong[0] = NULL, wrong[1] = closed, wrong[2] = sink, wrong[3] = buffer, wrong[4] = (void *)~(uintptr_t)0;
    for (index = 0; index < 5; index++) {
        quire_store *bad = (quire_store *)wrong[index], *none = store;
        quire_sink *no_sink = sink;
        CHECK(quire_size(bad) == QUIRE_NO_HANDLE && quire_error_code() == QUIRE_NO_HANDLE);
        CHECK(quire_read(bad, 0, buffer, 1) == QUIRE_NO_HANDLE);
        CHECK(quire_uid(bad, buffer, 8) == QUIRE_NO_HANDLE && quire_revision(bad) == QUIRE_NO_HANDLE);
        CHECK(quire_refresh(bad) == QUIRE_NO_HANDLE && quire_stream(bad) == NULL);
        CHECK(quire_snapshot(bad, &none) == QUIRE_NO_HANDLE && none == NULL);
        CHECK(quire_begin(bad, QUIRE_APPEND, &no_sink) == QUIRE_NO_HANDLE && no_sink == NULL);
        quire_close(bad);
    }
    wrong[1] = ended, wrong[2] = store;
    for (index = 0; index < 5; index++) {
        quire_sink *bad = (quire_sink *)wrong[index];
        CHECK(quire_write(bad, "1", 1) == QUIRE_NO_HANDLE && quire_commit(bad) == QUIRE_NO_HANDLE);
        quire_abandon(bad);
    }
    /* None of that closed what is open. */
    CHECK(quire_snapshot(store, &snapshot) == QUIRE_OK);
    CHECK(quire_begin(snapshot, QUIRE_APPEND, &ended) == QUIRE_UNSUPPORTED_OPERATION);
    CHECK(quire_refresh(snapshot) == QUIRE_UNSUPPORTED_OPERATION);
    expect(snapshot, plain, plain_size);
    CHECK(quire_write(sink, "1", 1) == QUIRE_OK);
    quire_abandon(sink);
    quire_close(store);
    expect(snapshot, plain, plain_size);
    quire_close(snapshot);
}

static void refuse(quire_options options) {
    quire_store *store = NULL;
    quire_sink *sink = NULL;
    CHECK(quire_open(in_folder("a.gz"), &options, &store) == QUIRE_INVALID_ARGUMENT && store == NULL);
    CHECK(quire_create(in_folder("none.gz"), &options, &sink) == QUIRE_INVALID_ARGUMENT && sink == NULL);
    CHECK(strlen(quire_error_text()) > 10);
}

static void test_arguments(void) {
    const quire_options defaults = QUIRE_OPTIONS_INIT;
    quire_options options;
    struct { quire_options options; uint64_t later; } larger = {QUIRE_OPTIONS_INIT, 0};
    quire_store *store = NULL;
    quire_sink *sink = NULL;
    char buffer[8];
    CHECK(quire_open(NULL, NULL, &store) == QUIRE_INVALID_ARGUMENT);
    CHECK(quire_open("", NULL, &store) == QUIRE_INVALID_ARGUMENT);
    CHECK(quire_open("\xff\xfe", NULL, &store) == QUIRE_INVALID_ARGUMENT);
    CHECK(quire_open(in_folder("a.gz"), NULL, NULL) == QUIRE_INVALID_ARGUMENT);
    CHECK(quire_open(in_folder("nowhere.gz"), NULL, &store) == QUIRE_FILE_NOT_FOUND && store == NULL);
    CHECK(strstr(quire_error_text(), "nowhere.gz") != NULL);
    CHECK(strcmp(quire_code_name(quire_error_code()), "fileNotFound") == 0);
    CHECK(quire_open(folder, NULL, &store) == QUIRE_FILE_SYSTEM);
    CHECK(quire_open("quire_test.pdf", NULL, &store) == QUIRE_FILE_NOT_FOUND);
    CHECK(quire_create(NULL, NULL, &sink) == QUIRE_INVALID_ARGUMENT);
    CHECK(quire_create(in_folder("a/b.gz"), NULL, &sink) < 0);
    CHECK(quire_create(in_folder("b.gz"), NULL, NULL) == QUIRE_INVALID_ARGUMENT);
    CHECK(strcmp(quire_code_name(0), "ok") == 0 && strcmp(quire_code_name(QUIRE_OTHER), "other") == 0);
    CHECK(strcmp(quire_code_name(1), "unknown") == 0 && strcmp(quire_code_name(INT_MIN), "unknown") == 0);

    options = defaults, options.size = 0, refuse(options);
    options = defaults, options.size = UINT32_MAX, refuse(options);
    options = defaults, options.flags = 2, refuse(options);
    options = defaults, options.level = 13, refuse(options);
    options = defaults, options.level = INT32_MIN, refuse(options);
    options = defaults, options.favor = 3, refuse(options);
    options = defaults, options.favor = -1, refuse(options);
    options = defaults, options.block_size = 511, refuse(options);
    options = defaults, options.block_size = UINT32_MAX, refuse(options);
    options = defaults, options.reserved = 1, refuse(options);
    larger.options.size = sizeof larger;
    larger.options.cache_bytes = UINT64_MAX;
    CHECK(quire_open(in_folder("a.gz"), &larger.options, &store) == QUIRE_OK);
    expect(store, plain, plain_size);
    CHECK(quire_read(store, 0, NULL, 1) == QUIRE_INVALID_ARGUMENT);
    CHECK(quire_read(store, 0, buffer, SIZE_MAX) == QUIRE_INVALID_ARGUMENT);
    CHECK(quire_snapshot(store, NULL) == QUIRE_INVALID_ARGUMENT);
    CHECK(quire_begin(store, QUIRE_APPEND, NULL) == QUIRE_INVALID_ARGUMENT);
    CHECK(quire_begin(store, 3, &sink) == QUIRE_INVALID_ARGUMENT && sink == NULL);
    CHECK(quire_begin(store, INT_MIN, &sink) == QUIRE_INVALID_ARGUMENT);
    CHECK(quire_begin(store, QUIRE_APPEND, &sink) == QUIRE_OK);
    CHECK(quire_write(sink, NULL, 1) == QUIRE_INVALID_ARGUMENT);
    CHECK(quire_write(sink, "1", SIZE_MAX) == QUIRE_INVALID_ARGUMENT);
    CHECK(quire_write(sink, NULL, 0) == QUIRE_OK);
    quire_abandon(sink);
    quire_close(store);
    larger.later = 1;
    CHECK(quire_open(in_folder("a.gz"), &larger.options, &store) == QUIRE_INVALID_ARGUMENT);
}

static void test_damage(void) {
    static unsigned char bytes[1 << 20], buffer[1 << 16];
    FILE *file = fopen(in_folder("a.gz"), "rb");
    size_t count;
    quire_store *store;
    CHECK(file != NULL);
    count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    bytes[1000] ^= 1;
    file = fopen(in_folder("damaged.gz"), "wb");
    CHECK(file != NULL && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
    store = opened("damaged.gz");
    CHECK(quire_read(store, 0, buffer, 1) == QUIRE_DAMAGED_BLOCK);
    CHECK(strstr(quire_error_text(), "block 0") != NULL);
    quire_close(store);
    file = fopen(in_folder("damaged.gz"), "wb");
    CHECK(file != NULL && fputs("%PDF-1.7", file) >= 0 && fclose(file) == 0);
    CHECK(quire_open(in_folder("damaged.gz"), NULL, &store) == QUIRE_NOT_A_STORE && store == NULL);
}

static quire_store *shared_store;
static sem_t has_read;

static void *reads_until_closed(void *seed) {
    unsigned char buffer[4096];
    uint64_t state = (uint64_t)(uintptr_t)seed * 7919 + 1;
    long reads = 0;
    CHECK(quire_error_code() == QUIRE_OK && strcmp(quire_error_text(), "") == 0);
    for (;;) {
        size_t offset = (size_t)(random_number(&state) % (plain_size - sizeof buffer));
        int64_t count = quire_read(shared_store, offset, buffer, sizeof buffer);
        if (count == QUIRE_NO_HANDLE) break;
        CHECK(count == (int64_t)sizeof buffer && memcmp(buffer, plain + offset, sizeof buffer) == 0);
        if (reads++ == 0) CHECK(sem_post(&has_read) == 0);
    }
    CHECK(quire_error_code() == QUIRE_NO_HANDLE);
    return (void *)(intptr_t)reads;
}

/* Threads read while another saves, and closes the handle under them. */
static void test_threads(void) {
    pthread_t threads[4];
    void *reads;
    int index;
    create("shared.gz");
    shared_store = opened("shared.gz");
    CHECK(sem_init(&has_read, 0, 0) == 0);
    for (index = 0; index < 4; index++)
        CHECK(pthread_create(&threads[index], NULL, reads_until_closed, (void *)(intptr_t)(index + 1)) == 0);
    for (index = 0; index < 20; index++) save(shared_store, QUIRE_APPEND, "more", 4);
    CHECK(quire_size(shared_store) == (int64_t)plain_size + 80);
    /* However slow the machine is: each of them has read by now. */
    for (index = 0; index < 4; index++) CHECK(sem_wait(&has_read) == 0);
    quire_close(shared_store);
    for (index = 0; index < 4; index++) {
        CHECK(pthread_join(threads[index], &reads) == 0);
        CHECK((intptr_t)reads > 0);
    }
}

static int open_files(void) {
    DIR *files = opendir("/proc/self/fd");
    int count = 0;
    if (files == NULL) return 0;
    while (readdir(files) != NULL) count++;
    closedir(files);
    return count;
}

static void test_files_are_closed(void) {
    int before = open_files(), round;
    for (round = 0; round < 200; round++) {
        quire_store *store = opened("a.gz"), *snapshot;
        quire_sink *sink;
        unsigned char byte;
        CHECK(quire_snapshot(store, &snapshot) == QUIRE_OK);
        CHECK(quire_read(snapshot, 0, &byte, 1) == 1);
        CHECK(quire_begin(store, QUIRE_REPLACE, &sink) == QUIRE_OK);
        quire_abandon(sink);
        CHECK(fclose(quire_stream(store)) == 0);
        quire_close(store);
        quire_close(snapshot);
    }
    CHECK(open_files() == before);
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    folder = argv[1];
    load(argv[2]);
    create("a.gz");
    test_reading();
    test_stream();
    test_identity();
    test_saving();
    test_saving_from_behind();
    test_creating();
    test_handles();
    test_arguments();
    test_damage();
    test_threads();
    test_files_are_closed();
    puts("quire_test: ok");
    return 0;
}

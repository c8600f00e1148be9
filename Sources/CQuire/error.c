#include <string.h>

#include "quire_internal.h"

static const char *const names[] = {
    [-QUIRE_OK] = "ok",
    [-QUIRE_NOT_A_STORE] = "notAStore",
    [-QUIRE_UNSUPPORTED_VERSION] = "unsupportedVersion",
    [-QUIRE_UNSUPPORTED_FEATURE] = "unsupportedFeature",
    [-QUIRE_DAMAGED_FOOTER] = "damagedFooter",
    [-QUIRE_DAMAGED_INDEX] = "damagedIndex",
    [-QUIRE_DAMAGED_BLOCK] = "damagedBlock",
    [-QUIRE_TRUNCATED] = "truncated",
    [-QUIRE_FOREIGN_TAIL] = "foreignTail",
    [-QUIRE_LIMIT_EXCEEDED] = "limitExceeded",
    [-QUIRE_INVALID_ARGUMENT] = "invalidArgument",
    [-QUIRE_UNSUPPORTED_OPERATION] = "unsupportedOperation",
    [-QUIRE_CONFLICT] = "conflict",
    [-QUIRE_NOT_DURABLE] = "notDurable",
    [-QUIRE_FILE_NOT_FOUND] = "fileNotFound",
    [-QUIRE_FILE_SYSTEM] = "fileSystem",
    [-QUIRE_NO_HANDLE] = "noHandle",
    [-QUIRE_OTHER] = "other",
};

// A thread's own, without a destructor: nothing leaks when a thread ends.
static _Thread_local int last_code = QUIRE_OK;
static _Thread_local char last_text[1024];

const char *quire_code_name(int code) {
    return code <= 0 && code >= QUIRE_OTHER ? names[-code] : "unknown";
}

int quire_error_code(void) { return last_code; }

const char *quire_error_text(void) { return last_text; }

void quire_internal_note(int code, const char *text) {
    last_code = code;
    size_t count = strlen(text);
    if (count >= sizeof last_text) {
        count = sizeof last_text - 1;
        // Not in the middle of a character.
        while (count > 0 && ((unsigned char)text[count] & 0xC0) == 0x80) count--;
    }
    memcpy(last_text, text, count);
    last_text[count] = 0;
}

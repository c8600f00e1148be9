// What the Swift half of the library needs of the C half; not installed.
#ifndef QUIRE_INTERNAL_H
#define QUIRE_INTERNAL_H

#include "quire.h"

// Keeps the error for the calling thread.
__attribute__((visibility("hidden"))) void quire_internal_note(int code, const char *text);

#endif

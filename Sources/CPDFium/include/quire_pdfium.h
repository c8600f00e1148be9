// The binary interface of the few PDFium entry points that Quire meets, written from the public
// documentation of fpdfview.h. Nothing here is linked: the library is found at run time, or by the app.
#ifndef QUIRE_PDFIUM_H
#define QUIRE_PDFIUM_H

#include <stddef.h>

// FPDF_FILEACCESS: the document is `length` bytes; `get_block` fills `size` bytes from `position`
// or returns 0. `unsigned long` has 32 bits on 32-bit systems and on Windows.
typedef struct {
    unsigned long length;
    int (*get_block)(void *param, unsigned long position, unsigned char *buffer, unsigned long size);
    void *param;
} quire_pdfium_file_access;

typedef void (*quire_pdfium_init)(void);
typedef void *(*quire_pdfium_load_custom)(quire_pdfium_file_access *access, const char *password);
typedef void *(*quire_pdfium_load_file)(const char *path, const char *password);
typedef void *(*quire_pdfium_load_memory)(const void *data, size_t size, const char *password);
typedef unsigned long (*quire_pdfium_last_error)(void);
typedef int (*quire_pdfium_page_count)(void *document);
typedef void *(*quire_pdfium_load_page)(void *document, int index);
typedef double (*quire_pdfium_page_extent)(void *page);
typedef void (*quire_pdfium_close)(void *handle);
typedef void *(*quire_pdfium_bitmap_create)(int width, int height, int alpha);
typedef int (*quire_pdfium_bitmap_fill)(void *bitmap, int left, int top, int width, int height,
                                        unsigned long argb);
typedef void *(*quire_pdfium_bitmap_buffer)(void *bitmap);
typedef int (*quire_pdfium_bitmap_stride)(void *bitmap);
typedef void (*quire_pdfium_render)(void *bitmap, void *page, int x, int y, int width, int height,
                                    int rotate, int flags);

// FPDF_FORMFILLINFO: the callbacks, of which none has to be there, and reserved fields. Larger than that of any
// version so far, all zero but for the version.
typedef struct {
    int version;
    void *callbacks[63];
} quire_pdfium_form_info;

typedef void *(*quire_pdfium_init_form)(void *document, quire_pdfium_form_info *info);
typedef void (*quire_pdfium_page_event)(void *page, void *form);
typedef void (*quire_pdfium_draw_form)(void *form, void *bitmap, void *page, int x, int y,
                                       int width, int height, int rotate, int flags);

#endif

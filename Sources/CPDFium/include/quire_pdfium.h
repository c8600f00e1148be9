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

// FPDF_FILEWRITE, version 1: `write_block` takes `size` bytes or returns 0. `param` lies behind what PDFium knows.
typedef struct quire_pdfium_file_write {
    int version;
    int (*write_block)(struct quire_pdfium_file_write *self, const void *data, unsigned long size);
    void *param;
} quire_pdfium_file_write;

// FX_FILEAVAIL, version 1: whether `size` bytes from `offset` on can be read without waiting. `param` as above.
typedef struct quire_pdfium_file_avail {
    int version;
    int (*is_data_avail)(struct quire_pdfium_file_avail *self, size_t offset, size_t size);
    void *param;
} quire_pdfium_file_avail;

// FX_DOWNLOADHINTS, version 1: `size` bytes from `offset` on are wanted soon. `param` as above.
typedef struct quire_pdfium_download_hints {
    int version;
    void (*add_segment)(struct quire_pdfium_download_hints *self, size_t offset, size_t size);
    void *param;
} quire_pdfium_download_hints;

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

// fpdf_save.h and fpdf_annot.h.
typedef int (*quire_pdfium_save)(void *document, quire_pdfium_file_write *writer, unsigned long flags);
typedef struct {
    float left, top, right, bottom;
} quire_pdfium_rect;
typedef void *(*quire_pdfium_create_annotation)(void *page, int subtype);
typedef int (*quire_pdfium_set_annotation_rect)(void *annotation, const quire_pdfium_rect *rect);
typedef int (*quire_pdfium_set_annotation_color)(void *annotation, int type, unsigned int red,
                                                 unsigned int green, unsigned int blue,
                                                 unsigned int alpha);

// fpdf_dataavail.h.
typedef void *(*quire_pdfium_create_avail)(quire_pdfium_file_avail *avail, quire_pdfium_file_access *access);
typedef int (*quire_pdfium_document_avail)(void *avail, quire_pdfium_download_hints *hints);
typedef void *(*quire_pdfium_avail_document)(void *avail, const char *password);
typedef int (*quire_pdfium_page_avail)(void *avail, int index, quire_pdfium_download_hints *hints);

#endif

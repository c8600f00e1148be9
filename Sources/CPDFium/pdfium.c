#include "quire_pdfium.h"

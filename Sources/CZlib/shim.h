#pragma once
#include <zlib.h>

// zlib's functions that begin a stream are macros. A negative size of the window means data without a header, as in ZIP
// files.
static inline int dragoman_inflate_begin(z_stream *stream) { return inflateInit2(stream, -MAX_WBITS); }

#pragma once
#include <zlib.h>

// zlib's functions that begin a stream are macros. A negative size of the window means data without a header, as in ZIP
// files, and 16 beyond the largest one gzip.
static inline int dragoman_inflate_begin(z_stream *stream) { return inflateInit2(stream, -MAX_WBITS); }
static inline int dragoman_gzip_begin(z_stream *stream) {
  return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
}

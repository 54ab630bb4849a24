// Counts the allocations of the process: these definitions replace jemalloc's and call its other functions.
#include "allocations.h"
#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <stdatomic.h>
#include <stdint.h>

static _Atomic uint64_t count;

uint64_t allocation_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }

static void *allocate(size_t size, int flags) {
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  void *memory = mallocx(size ? size : 1, flags);
  if (!memory) errno = ENOMEM;
  return memory;
}

void *malloc(size_t size) { return allocate(size, 0); }
void *calloc(size_t number, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(number, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  return allocate(bytes, MALLOCX_ZERO);
}
void *realloc(void *old, size_t size) {
  if (!old) return allocate(size, 0);
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  void *memory = rallocx(old, size ? size : 1, 0);
  if (!memory) errno = ENOMEM;
  return memory;
}
void *aligned_alloc(size_t alignment, size_t size) { return allocate(size, MALLOCX_ALIGN(alignment)); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = allocate(size, MALLOCX_ALIGN(alignment));
  return *memory ? 0 : ENOMEM;
}
void free(void *memory) {
  if (memory) dallocx(memory, 0);
}

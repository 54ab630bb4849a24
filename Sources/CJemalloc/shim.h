// jemalloc replaces glibc's malloc in each program that links it.
#pragma once
#include <jemalloc/jemalloc.h>
#include <stdbool.h>

/// The settings, which jemalloc reads before main (jemalloc(3), TUNING). MALLOC_CONF in the environment overrides them.
///
/// jemalloc's defaults, four arenas for each core, larger caches for each thread, and ten seconds until free pages go
/// back, take a MiB more and are no faster here.
const char *dragoman_jemalloc_settings __asm__("malloc_conf") =
  "narenas:2,tcache_nslots_small_max:80,tcache_max:4096,dirty_decay_ms:3000,max_background_threads:1";

/// Starts the thread that gives free pages back also while nothing is allocated; 0, or an errno.
static inline int dragoman_jemalloc_start_thread(void) {
  bool on = true;
  // Only a program that refers to the settings contains them.
  if (!dragoman_jemalloc_settings) return 0;
  return mallctl("background_thread", NULL, NULL, &on, sizeof on);
}

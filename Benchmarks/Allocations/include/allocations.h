#pragma once
#include <stdint.h>

/// How often the process has allocated memory so far, on all threads.
uint64_t allocation_count(void);

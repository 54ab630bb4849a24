// libFuzzer as a library (LLVM, "Using libFuzzer as a library"): SwiftPM gives every executable a main of its own.
#ifndef DRAGOMAN_CFUZZER_DRIVER_H
#define DRAGOMAN_CFUZZER_DRIVER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*test)(const uint8_t *bytes, size_t count));

#endif

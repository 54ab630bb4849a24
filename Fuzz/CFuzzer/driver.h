// libFuzzer as a library (LLVM, "Using libFuzzer as a library"), because SwiftPM gives every executable its own main.
#ifndef DRAGOMAN_CFUZZER_DRIVER_H
#define DRAGOMAN_CFUZZER_DRIVER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*test)(const uint8_t *bytes, size_t count));

#endif

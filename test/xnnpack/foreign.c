// Stands for a library that brings another XNNPACK, pthreadpool and cpuinfo into
// the process, as PyTorch does. CMake gives this function their names.
#include <stdio.h>
#include <stdlib.h>

void foreign(void) {
  fprintf(stderr, "a function of another XNNPACK was called\n");
  abort();
}

__attribute__((constructor)) static void tell(void) {
  fprintf(stderr, "another XNNPACK is loaded\n");
}

#ifndef CDECODER_H
#define CDECODER_H

#include <sys/types.h>

// A program that decodes the pictures of strangers, in a process that may only read the system's programs and libraries
// (Landlock) and opens no socket (seccomp). It has limits for time and memory, and writes no file.

// Whether this kernel can confine a process: Landlock came with Linux 5.13, and a container may forbid it.
int cdecoder_is_available(void);

// Starts `program` with these arguments and this environment. It reads `input` and writes `output`, and has no other
// descriptor. If the kernel refuses to confine it, the process ends with 126, and `program` has not run.
//
// Returns the process, or -1 with `errno`.
pid_t cdecoder_start(const char *program, char *const arguments[], char *const environment[], int input, int output);

#endif

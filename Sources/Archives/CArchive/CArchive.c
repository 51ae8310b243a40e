#define _GNU_SOURCE

// A definition here is this program's own: no library that the program loads calls it.
#pragma GCC visibility push(hidden)
#include "CArchive.h"
#pragma GCC visibility pop

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static struct {
#define F(result, name, parameters, arguments) __typeof__(name) *name;
  CARCHIVE_FUNCTIONS(F)
#undef F
} library;

static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *handle = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    missing = "libarchive.so.13 cannot be loaded; install the Debian package libarchive13";
    return;
  }
#define F(result, name, parameters, arguments)                                                                        \
  if ((library.name = (__typeof__(library.name))dlsym(handle, #name)) == NULL) {                                      \
    missing = "libarchive.so.13 has no " #name;                                                                       \
    return;                                                                                                           \
  }
  CARCHIVE_FUNCTIONS(F)
#undef F
}

const char *carchive_load(void) {
  pthread_once(&once, load);
  return missing;
}

#define F(result, name, parameters, arguments)                                                                        \
  result c##name parameters { return library.name arguments; }
CARCHIVE_FUNCTIONS(F)

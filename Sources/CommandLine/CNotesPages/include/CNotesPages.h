#ifndef CNOTESPAGES_H
#define CNOTESPAGES_H

#include <stddef.h>

/// A file that the pages of `docpkg serve` are made of.
struct cnotespages_file {
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t count;
};

/// The number of files.
extern const size_t cnotespages_count;

/// Returns one of the files.
struct cnotespages_file cnotespages_file_at(size_t index);

#endif

// The system's libarchive, which a process loads before its first archive.
//
// A program that reads and writes no archive does not load the library and the eight libraries that it needs. A security
// update of the system counts for all programs.

#ifndef CARCHIVE_H
#define CARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

/// Loads the library. No other function may be called before this one has returned NULL.
///
/// Returns the reason if the library cannot be loaded.
const char *carchive_load(void);

#endif

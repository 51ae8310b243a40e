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

// Each function that this package calls: its result, its name, its parameters, and the arguments that pass them on. The
// compiler compares them with libarchive's header. Each has a `c` before libarchive's name: a program that links
// libarchive, too, calls the library's own functions.
#define CARCHIVE_FUNCTIONS(F)                                                                                        \
  F(struct archive_entry *, archive_entry_clear, (struct archive_entry *a), (a))                                     \
  F(void, archive_entry_copy_pathname, (struct archive_entry *a, const char *b), (a, b))                             \
  F(void, archive_entry_copy_symlink, (struct archive_entry *a, const char *b), (a, b))                              \
  F(mode_t, archive_entry_filetype, (struct archive_entry *a), (a))                                                  \
  F(void, archive_entry_free, (struct archive_entry *a), (a))                                                        \
  F(const char *, archive_entry_hardlink, (struct archive_entry *a), (a))                                            \
  F(const char *, archive_entry_hardlink_utf8, (struct archive_entry *a), (a))                                       \
  F(int, archive_entry_is_encrypted, (struct archive_entry *a), (a))                                                 \
  F(time_t, archive_entry_mtime, (struct archive_entry *a), (a))                                                     \
  F(int, archive_entry_mtime_is_set, (struct archive_entry *a), (a))                                                 \
  F(long, archive_entry_mtime_nsec, (struct archive_entry *a), (a))                                                  \
  F(struct archive_entry *, archive_entry_new, (void), ())                                                           \
  F(const char *, archive_entry_pathname, (struct archive_entry *a), (a))                                            \
  F(const char *, archive_entry_pathname_utf8, (struct archive_entry *a), (a))                                       \
  F(mode_t, archive_entry_perm, (struct archive_entry *a), (a))                                                      \
  F(void, archive_entry_set_filetype, (struct archive_entry *a, unsigned int b), (a, b))                             \
  F(void, archive_entry_set_gid, (struct archive_entry *a, la_int64_t b), (a, b))                                    \
  F(void, archive_entry_set_mtime, (struct archive_entry *a, time_t b, long c), (a, b, c))                           \
  F(void, archive_entry_set_perm, (struct archive_entry *a, mode_t b), (a, b))                                       \
  F(void, archive_entry_set_size, (struct archive_entry *a, la_int64_t b), (a, b))                                   \
  F(void, archive_entry_set_uid, (struct archive_entry *a, la_int64_t b), (a, b))                                    \
  F(la_int64_t, archive_entry_size, (struct archive_entry *a), (a))                                                  \
  F(int, archive_entry_size_is_set, (struct archive_entry *a), (a))                                                  \
  F(const char *, archive_entry_symlink, (struct archive_entry *a), (a))                                             \
  F(const char *, archive_entry_symlink_utf8, (struct archive_entry *a), (a))                                        \
  F(void, archive_entry_xattr_add_entry, (struct archive_entry *a, const char *b, const void *c, size_t d),            \
    (a, b, c, d))                                                                                                      \
  F(int, archive_entry_xattr_next, (struct archive_entry *a, const char **b, const void **c, size_t *d), (a, b, c, d)) \
  F(int, archive_entry_xattr_reset, (struct archive_entry *a), (a))                                                  \
  F(const char *, archive_error_string, (struct archive *a), (a))                                                    \
  F(int, archive_read_add_passphrase, (struct archive *a, const char *b), (a, b))                                    \
  F(int, archive_read_data_block, (struct archive *a, const void **b, size_t *c, la_int64_t *d), (a, b, c, d))       \
  F(int, archive_read_free, (struct archive *a), (a))                                                                \
  F(struct archive *, archive_read_new, (void), ())                                                                  \
  F(int, archive_read_next_header, (struct archive *a, struct archive_entry **b), (a, b))                            \
  F(int, archive_read_open1, (struct archive *a), (a))                                                               \
  F(int, archive_read_set_callback_data, (struct archive *a, void *b), (a, b))                                       \
  F(int, archive_read_set_read_callback, (struct archive *a, archive_read_callback *b), (a, b))                      \
  F(int, archive_read_set_seek_callback, (struct archive *a, archive_seek_callback *b), (a, b))                      \
  F(int, archive_read_set_skip_callback, (struct archive *a, archive_skip_callback *b), (a, b))                      \
  F(int, archive_read_support_format_tar, (struct archive *a), (a))                                                  \
  F(int, archive_read_support_format_zip_seekable, (struct archive *a), (a))                                         \
  F(int, archive_write_add_filter_gzip, (struct archive *a), (a))                                                    \
  F(int, archive_write_add_filter_xz, (struct archive *a), (a))                                                      \
  F(int, archive_write_close, (struct archive *a), (a))                                                              \
  F(la_ssize_t, archive_write_data, (struct archive *a, const void *b, size_t c), (a, b, c))                         \
  F(int, archive_write_fail, (struct archive *a), (a))                                                               \
  F(int, archive_write_finish_entry, (struct archive *a), (a))                                                       \
  F(int, archive_write_free, (struct archive *a), (a))                                                               \
  F(int, archive_write_header, (struct archive *a, struct archive_entry *b), (a, b))                                 \
  F(struct archive *, archive_write_new, (void), ())                                                                 \
  F(int, archive_write_open,                                                                                         \
    (struct archive *a, void *b, archive_open_callback *c, archive_write_callback *d, archive_close_callback *e),      \
    (a, b, c, d, e))                                                                                                   \
  F(int, archive_write_set_bytes_in_last_block, (struct archive *a, int b), (a, b))                                  \
  F(int, archive_write_set_bytes_per_block, (struct archive *a, int b), (a, b))                                      \
  F(int, archive_write_set_format_7zip, (struct archive *a), (a))                                                    \
  F(int, archive_write_set_format_pax, (struct archive *a), (a))                                                     \
  F(int, archive_write_set_format_zip, (struct archive *a), (a))                                                     \
  F(int, archive_write_set_options, (struct archive *a, const char *b), (a, b))                                      \
  F(int, archive_write_set_passphrase, (struct archive *a, const char *b), (a, b))                                   \
  F(int, archive_write_zip_set_compression_deflate, (struct archive *a), (a))                                        \
  F(int, archive_write_zip_set_compression_store, (struct archive *a), (a))

#define F(result, name, parameters, arguments) __typeof__(name) c##name;
CARCHIVE_FUNCTIONS(F)
#undef F

#endif

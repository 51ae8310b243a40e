#define _GNU_SOURCE

// A definition here is this program's own: no library that the program loads calls it.
#pragma GCC visibility push(hidden)
#include "CArchive.h"
#pragma GCC visibility pop

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

typedef struct archive *Archive;
typedef struct archive_entry *Entry;

// Each function that this package calls: its result, its name, its parameters, and the arguments that pass them on. The
// compiler compares them with libarchive's header.
#define FUNCTIONS(F)                                                                                                 \
  F(Entry, archive_entry_clear, (Entry a), (a))                                                                      \
  F(void, archive_entry_copy_pathname, (Entry a, const char *b), (a, b))                                             \
  F(void, archive_entry_copy_symlink, (Entry a, const char *b), (a, b))                                              \
  F(mode_t, archive_entry_filetype, (Entry a), (a))                                                                  \
  F(void, archive_entry_free, (Entry a), (a))                                                                        \
  F(const char *, archive_entry_hardlink, (Entry a), (a))                                                            \
  F(const char *, archive_entry_hardlink_utf8, (Entry a), (a))                                                       \
  F(int, archive_entry_is_encrypted, (Entry a), (a))                                                                 \
  F(time_t, archive_entry_mtime, (Entry a), (a))                                                                     \
  F(int, archive_entry_mtime_is_set, (Entry a), (a))                                                                 \
  F(long, archive_entry_mtime_nsec, (Entry a), (a))                                                                  \
  F(Entry, archive_entry_new, (void), ())                                                                            \
  F(const char *, archive_entry_pathname, (Entry a), (a))                                                            \
  F(const char *, archive_entry_pathname_utf8, (Entry a), (a))                                                       \
  F(mode_t, archive_entry_perm, (Entry a), (a))                                                                      \
  F(void, archive_entry_set_filetype, (Entry a, unsigned int b), (a, b))                                             \
  F(void, archive_entry_set_gid, (Entry a, la_int64_t b), (a, b))                                                    \
  F(void, archive_entry_set_mtime, (Entry a, time_t b, long c), (a, b, c))                                           \
  F(void, archive_entry_set_perm, (Entry a, mode_t b), (a, b))                                                       \
  F(void, archive_entry_set_size, (Entry a, la_int64_t b), (a, b))                                                   \
  F(void, archive_entry_set_uid, (Entry a, la_int64_t b), (a, b))                                                    \
  F(la_int64_t, archive_entry_size, (Entry a), (a))                                                                  \
  F(int, archive_entry_size_is_set, (Entry a), (a))                                                                  \
  F(const char *, archive_entry_symlink, (Entry a), (a))                                                             \
  F(const char *, archive_entry_symlink_utf8, (Entry a), (a))                                                        \
  F(void, archive_entry_xattr_add_entry, (Entry a, const char *b, const void *c, size_t d), (a, b, c, d))            \
  F(int, archive_entry_xattr_next, (Entry a, const char **b, const void **c, size_t *d), (a, b, c, d))               \
  F(int, archive_entry_xattr_reset, (Entry a), (a))                                                                  \
  F(const char *, archive_error_string, (Archive a), (a))                                                            \
  F(la_int64_t, archive_filter_bytes, (Archive a, int b), (a, b))                                                    \
  F(int, archive_read_add_passphrase, (Archive a, const char *b), (a, b))                                            \
  F(int, archive_read_append_filter, (Archive a, int b), (a, b))                                                     \
  F(la_ssize_t, archive_read_data, (Archive a, void *b, size_t c), (a, b, c))                                        \
  F(int, archive_read_data_block, (Archive a, const void **b, size_t *c, la_int64_t *d), (a, b, c, d))               \
  F(int, archive_read_free, (Archive a), (a))                                                                        \
  F(Archive, archive_read_new, (void), ())                                                                           \
  F(int, archive_read_next_header, (Archive a, Entry *b), (a, b))                                                    \
  F(int, archive_read_open1, (Archive a), (a))                                                                       \
  F(int, archive_read_set_callback_data, (Archive a, void *b), (a, b))                                               \
  F(int, archive_read_set_read_callback, (Archive a, archive_read_callback *b), (a, b))                              \
  F(int, archive_read_set_seek_callback, (Archive a, archive_seek_callback *b), (a, b))                              \
  F(int, archive_read_set_skip_callback, (Archive a, archive_skip_callback *b), (a, b))                              \
  F(int, archive_read_support_filter_bzip2, (Archive a), (a))                                                        \
  F(int, archive_read_support_filter_gzip, (Archive a), (a))                                                         \
  F(int, archive_read_support_filter_lz4, (Archive a), (a))                                                          \
  F(int, archive_read_support_filter_xz, (Archive a), (a))                                                           \
  F(int, archive_read_support_filter_zstd, (Archive a), (a))                                                         \
  F(int, archive_read_support_format_7zip, (Archive a), (a))                                                         \
  F(int, archive_read_support_format_cpio, (Archive a), (a))                                                         \
  F(int, archive_read_support_format_iso9660, (Archive a), (a))                                                      \
  F(int, archive_read_support_format_raw, (Archive a), (a))                                                          \
  F(int, archive_read_support_format_tar, (Archive a), (a))                                                          \
  F(int, archive_read_support_format_zip_seekable, (Archive a), (a))                                                 \
  F(int, archive_write_add_filter_gzip, (Archive a), (a))                                                            \
  F(int, archive_write_add_filter_xz, (Archive a), (a))                                                              \
  F(int, archive_write_add_filter_zstd, (Archive a), (a))                                                            \
  F(int, archive_write_close, (Archive a), (a))                                                                      \
  F(la_ssize_t, archive_write_data, (Archive a, const void *b, size_t c), (a, b, c))                                 \
  F(int, archive_write_fail, (Archive a), (a))                                                                       \
  F(int, archive_write_finish_entry, (Archive a), (a))                                                               \
  F(int, archive_write_free, (Archive a), (a))                                                                       \
  F(int, archive_write_header, (Archive a, Entry b), (a, b))                                                         \
  F(Archive, archive_write_new, (void), ())                                                                          \
  F(int, archive_write_open,                                                                                         \
    (Archive a, void *b, archive_open_callback *c, archive_write_callback *d, archive_close_callback *e), (a, b, c, d, e)) \
  F(int, archive_write_set_bytes_in_last_block, (Archive a, int b), (a, b))                                          \
  F(int, archive_write_set_bytes_per_block, (Archive a, int b), (a, b))                                              \
  F(int, archive_write_set_format_7zip, (Archive a), (a))                                                            \
  F(int, archive_write_set_format_pax, (Archive a), (a))                                                             \
  F(int, archive_write_set_format_raw, (Archive a), (a))                                                             \
  F(int, archive_write_set_format_zip, (Archive a), (a))                                                             \
  F(int, archive_write_set_options, (Archive a, const char *b), (a, b))                                              \
  F(int, archive_write_set_passphrase, (Archive a, const char *b), (a, b))                                           \
  F(int, archive_write_zip_set_compression_deflate, (Archive a), (a))                                                \
  F(int, archive_write_zip_set_compression_store, (Archive a), (a))

static struct {
#define F(result, name, parameters, arguments) __typeof__(name) *name;
  FUNCTIONS(F)
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
  FUNCTIONS(F)
#undef F
}

const char *carchive_load(void) {
  pthread_once(&once, load);
  return missing;
}

#define F(result, name, parameters, arguments)                                                                        \
  result name parameters { return library.name arguments; }
FUNCTIONS(F)

// System calls and constants that Swift's Glibc module does not show.
//
// Every function returns the system call's result; the reason of a failure is in errno.

#ifndef CLINUX_H
#define CLINUX_H

#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/random.h>

/// renameat2(2)'s flags.
enum {
  CLINUX_RENAME_NOREPLACE = 1,
  CLINUX_RENAME_EXCHANGE = 2,
};

/// utimensat(2)'s nanoseconds for "leave this time as it is".
enum { CLINUX_TIME_OMIT = (1 << 30) - 2 };

/// open(2)'s flag for a descriptor that only names a place; it gives no access to read or write.
enum { CLINUX_OPEN_PATH = 010000000 };

/// The statx(2) status of one file.
struct clinux_status {
  uint64_t device;
  uint64_t inode;
  uint64_t size;
  uint32_t mode;
  uint32_t links;
  uint32_t user;
  uint32_t group;
  int64_t modified_seconds;
  uint32_t modified_nanoseconds;
  int64_t changed_seconds;
  uint32_t changed_nanoseconds;
  /// Whether the file system records when the file was made; if 0, the next two fields mean nothing.
  uint32_t has_born;
  uint32_t born_nanoseconds;
  int64_t born_seconds;
  /// Whether the system tells the mount; if 0, the next field means nothing.
  uint32_t has_mount;
  uint64_t mount;
  /// Whether no program can change, rename or remove the node (`chattr +i`).
  uint32_t is_immutable;
};

/// statx(2) of `name` in `directory`, of a symbolic link its own; of `directory` itself if `name` is empty.
int clinux_status(int directory, const char *name, struct clinux_status *result);

/// statx(2) of the node at a path, after any symbolic links.
int clinux_status_at(const char *path, struct clinux_status *result);

/// renameat2(2).
int clinux_rename(int from_directory, const char *from, int to_directory, const char *to, unsigned flags);

/// getdents64(2): fills `buffer` with linux_dirent64 records.
ssize_t clinux_getdents(int directory, void *buffer, size_t capacity);

/// fcntl(2), F_OFD_SETLK of one byte; `type` is F_RDLCK, F_WRLCK or F_UNLCK.
int clinux_lock_byte(int file, int type, int64_t byte);

/// sync_file_range(2), SYNC_FILE_RANGE_WRITE of the whole file.
int clinux_start_writing(int file);

/// ioctl(FICLONE): makes `destination` share all blocks of `source`.
int clinux_clone(int destination, int source);

/// fstatfs(2): the type of a file system, by an open directory.
int clinux_file_system(int directory, uint32_t *type);

ssize_t clinux_flistxattr(int file, char *list, size_t size);
ssize_t clinux_fgetxattr(int file, const char *name, void *value, size_t size);
int clinux_fsetxattr(int file, const char *name, const void *value, size_t size);

/// socket(2): AF_UNIX and SOCK_SEQPACKET, which neither waits nor survives exec(2).
int clinux_socket(void);

/// bind(2) and listen(2) at a path; ENAMETOOLONG if it does not fit into an address.
int clinux_listen(int socket, const char *path);

/// connect(2) to a path.
int clinux_connect(int socket, const char *path);

/// accept4(2), with the flags of `clinux_socket`.
int clinux_accept(int socket);

/// send(2) of one message, without a signal if the other end is gone.
ssize_t clinux_send(int socket, const void *bytes, size_t count);

/// recv(2) of one message; returns its whole length, which may be more than `capacity`.
ssize_t clinux_receive(int socket, void *bytes, size_t capacity);

/// getsockopt(2), SO_PEERCRED: the user and the process at the other end.
int clinux_peer(int socket, uint32_t *user, int32_t *process);

/// eventfd(2) that neither waits nor survives exec(2): one thread writes it, and another one waits for that.
int clinux_event(void);

/// posix_spawn_file_actions_addchdir_np(3).
int clinux_spawn_in(posix_spawn_file_actions_t *actions, const char *directory);

/// posix_spawn_file_actions_addclosefrom_np(3).
int clinux_spawn_closing(posix_spawn_file_actions_t *actions, int first);

#endif

#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

static int status(int directory, const char *name, int flags, struct clinux_status *result) {
  struct statx s;
  if (statx(directory, name, flags, STATX_BASIC_STATS | STATX_BTIME | STATX_MNT_ID, &s) != 0) return -1;
  result->device = makedev(s.stx_dev_major, s.stx_dev_minor);
  result->inode = s.stx_ino;
  result->size = s.stx_size;
  result->mode = s.stx_mode;
  result->links = s.stx_nlink;
  result->user = s.stx_uid;
  result->group = s.stx_gid;
  result->modified_seconds = s.stx_mtime.tv_sec;
  result->modified_nanoseconds = s.stx_mtime.tv_nsec;
  result->changed_seconds = s.stx_ctime.tv_sec;
  result->changed_nanoseconds = s.stx_ctime.tv_nsec;
  result->has_born = (s.stx_mask & STATX_BTIME) != 0;
  result->born_seconds = s.stx_btime.tv_sec;
  result->born_nanoseconds = s.stx_btime.tv_nsec;
  result->has_mount = (s.stx_mask & STATX_MNT_ID) != 0;
  result->mount = s.stx_mnt_id;
  result->is_immutable = (s.stx_attributes & STATX_ATTR_IMMUTABLE) != 0;
  return 0;
}

int clinux_status(int directory, const char *name, struct clinux_status *result) {
  int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (name[0] == 0 ? AT_EMPTY_PATH : 0);
  return status(directory, name, flags, result);
}

int clinux_status_at(const char *path, struct clinux_status *result) {
  return status(AT_FDCWD, path, 0, result);
}

int clinux_rename(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
  return renameat2(from_directory, from, to_directory, to, flags);
}

ssize_t clinux_getdents(int directory, void *buffer, size_t capacity) {
  return syscall(SYS_getdents64, directory, buffer, capacity);
}

int clinux_lock_byte(int file, int type, int64_t byte) {
  // l_pid must be 0.
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  return fcntl(file, F_OFD_SETLK, &lock);
}

int clinux_start_writing(int file) { return sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE); }

int clinux_clone(int destination, int source) { return ioctl(destination, FICLONE, source); }

int clinux_file_system(int directory, uint32_t *type) {
  struct statfs result;
  if (fstatfs(directory, &result) != 0) return -1;
  *type = (uint32_t)result.f_type;
  return 0;
}

ssize_t clinux_flistxattr(int file, char *list, size_t size) { return flistxattr(file, list, size); }

ssize_t clinux_fgetxattr(int file, const char *name, void *value, size_t size) {
  return fgetxattr(file, name, value, size);
}

int clinux_fsetxattr(int file, const char *name, const void *value, size_t size) {
  return fsetxattr(file, name, value, size, 0);
}

int clinux_event(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int clinux_spawn_in(posix_spawn_file_actions_t *actions, const char *directory) {
  return posix_spawn_file_actions_addchdir_np(actions, directory);
}

int clinux_socket(void) { return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

static int socket_address(const char *path, struct sockaddr_un *address) {
  size_t length = strlen(path);
  if (length >= sizeof(address->sun_path)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memset(address, 0, sizeof(*address));
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, length);
  return 0;
}

int clinux_listen(int socket, const char *path) {
  struct sockaddr_un address;
  if (socket_address(path, &address) != 0) return -1;
  if (bind(socket, (struct sockaddr *)&address, sizeof(address)) != 0) return -1;
  return listen(socket, 64);
}

int clinux_connect(int socket, const char *path) {
  struct sockaddr_un address;
  if (socket_address(path, &address) != 0) return -1;
  return connect(socket, (struct sockaddr *)&address, sizeof(address));
}

int clinux_accept(int socket) { return accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

ssize_t clinux_send(int socket, const void *bytes, size_t count) {
  return send(socket, bytes, count, MSG_NOSIGNAL | MSG_EOR);
}

ssize_t clinux_receive(int socket, void *bytes, size_t capacity) {
  return recv(socket, bytes, capacity, MSG_TRUNC);
}

int clinux_peer(int socket, uint32_t *user, int32_t *process) {
  struct ucred peer;
  socklen_t length = sizeof(peer);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
  *user = peer.uid;
  *process = peer.pid;
  return 0;
}

int clinux_spawn_closing(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

// Runs a program and breaks one of its system calls.
//
//   breaker LOG SECONDS PLACE NUMBER ACTION PROGRAM ARGUMENT...
//
// Numbers the calls of the table below, those of all threads in one sequence, from the first that names a path
// which begins with PLACE; writes them to LOG, one a line, with their paths or the path of their descriptor; and does
// ACTION to the one of that NUMBER. It leaves out the calls for files of /proc and /sys. libdispatch looks at its threads
// in /proc, and traps if it cannot. malloc(3) counts the processors in /sys if threads wait for each other, so not always.
//
//   none      nothing
//   kill      the process is killed before the call is made
//   signal=S  the process gets this signal before the call is made
//   error=E   the call is not made and fails with this errno; close(2) is made, as Linux always does
//   late=E    the call is made, and fails with this errno all the same
//   short     a write is of half the bytes
//
// The status is the program's own, 128 + the signal that ended it, 124 when it was killed after so many SECONDS,
// 125 when it cannot be traced here.

#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/ptrace.h>

struct call {
  long number;
  const char *name;
  // Which argument is the path, or -1, and which is the second one.
  int path, second;
};

static const struct call calls[] = {
    {SYS_openat, "openat", 1, -1},
    {SYS_openat2, "openat2", 1, -1},
    {SYS_close, "close", -1, -1},
    {SYS_read, "read", -1, -1},
    {SYS_pread64, "pread64", -1, -1},
    {SYS_write, "write", -1, -1},
    {SYS_pwrite64, "pwrite64", -1, -1},
    {SYS_writev, "writev", -1, -1},
    {SYS_pwritev, "pwritev", -1, -1},
    {SYS_pwritev2, "pwritev2", -1, -1},
    {SYS_copy_file_range, "copy_file_range", -1, -1},
    {SYS_sendfile, "sendfile", -1, -1},
    {SYS_fallocate, "fallocate", -1, -1},
    {SYS_ftruncate, "ftruncate", -1, -1},
    {SYS_lseek, "lseek", -1, -1},
    {SYS_fsync, "fsync", -1, -1},
    {SYS_fdatasync, "fdatasync", -1, -1},
    {SYS_sync_file_range, "sync_file_range", -1, -1},
    {SYS_syncfs, "syncfs", -1, -1},
    {SYS_renameat2, "renameat2", 1, 3},
    {SYS_linkat, "linkat", 1, 3},
    {SYS_symlinkat, "symlinkat", 2, -1},
    {SYS_unlinkat, "unlinkat", 1, -1},
    {SYS_mkdirat, "mkdirat", 1, -1},
    {SYS_readlinkat, "readlinkat", 1, -1},
    {SYS_statx, "statx", 1, -1},
    {SYS_newfstatat, "newfstatat", 1, -1},
    {SYS_fstat, "fstat", -1, -1},
    {SYS_fstatfs, "fstatfs", -1, -1},
    {SYS_faccessat, "faccessat", 1, -1},
    {SYS_faccessat2, "faccessat2", 1, -1},
    {SYS_fchmod, "fchmod", -1, -1},
    {SYS_fchmodat, "fchmodat", 1, -1},
    {SYS_fchown, "fchown", -1, -1},
    {SYS_utimensat, "utimensat", 1, -1},
    {SYS_flistxattr, "flistxattr", -1, -1},
    {SYS_fgetxattr, "fgetxattr", -1, -1},
    {SYS_fsetxattr, "fsetxattr", -1, -1},
    {SYS_getdents64, "getdents64", -1, -1},
    {SYS_fcntl, "fcntl", -1, -1},
    {SYS_flock, "flock", -1, -1},
    {SYS_ioctl, "ioctl", -1, -1},
#ifdef SYS_renameat
    {SYS_renameat, "renameat", 1, 3},
#endif
#ifdef SYS_open
    {SYS_open, "open", 0, -1},
    {SYS_unlink, "unlink", 0, -1},
    {SYS_rename, "rename", 0, 1},
    {SYS_mkdir, "mkdir", 0, -1},
    {SYS_rmdir, "rmdir", 0, -1},
#endif
};

enum action { NONE, KILL, SIGNAL, ERROR, LATE, SHORT };

static enum action action;
static int error;
static pid_t child;
static volatile sig_atomic_t too_late;

static void on_alarm(int signal) {
  (void)signal;
  too_late = 1;
  kill(child, SIGKILL);
}

static const struct call *find(uint64_t number) {
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if ((uint64_t)calls[i].number == number) return &calls[i];
  return NULL;
}

// The string at an address of the thread; empty where there is none.
static void read_string(pid_t thread, uint64_t address, char *text, size_t size) {
  size_t length = 0;
  while (address != 0 && length + 1 < size) {
    // A page at a time, since the next one need not be there.
    size_t piece = 4096 - (address + length) % 4096;
    if (piece > size - 1 - length) piece = size - 1 - length;
    struct iovec here = {text + length, piece};
    struct iovec there = {(void *)(uintptr_t)(address + length), piece};
    ssize_t count = process_vm_readv(thread, &here, 1, &there, 1, 0);
    if (count <= 0) break;
    if (memchr(text + length, 0, (size_t)count)) return;
    length += (size_t)count;
  }
  text[length] = 0;
}

// The file of a descriptor; empty where there is none.
static void read_file_of(uint64_t descriptor, char *text, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/%d/fd/%llu", child, (unsigned long long)descriptor);
  ssize_t length = readlink(link, text, size - 1);
  text[length < 0 ? 0 : length] = 0;
}

// MARK: Registers

#if defined(__x86_64__)
typedef struct user_regs_struct registers;
#define RESULT(r) ((r).rax)
#define THIRD(r) ((r).rdx)
#elif defined(__aarch64__)
typedef struct user_regs_struct registers;
#define RESULT(r) ((r).regs[0])
#define THIRD(r) ((r).regs[2])
#endif

static void get(pid_t thread, registers *r) {
  struct iovec area = {r, sizeof *r};
  ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &area);
}

static void set(pid_t thread, registers *r) {
  struct iovec area = {r, sizeof *r};
  ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &area);
}

static void skip_call(pid_t thread) {
#if defined(__x86_64__)
  registers r;
  get(thread, &r);
  r.orig_rax = (unsigned long long)-1;
  set(thread, &r);
#elif defined(__aarch64__)
  int none = -1;
  struct iovec area = {&none, sizeof none};
  ptrace(PTRACE_SETREGSET, thread, NT_ARM_SYSTEM_CALL, &area);
#endif
}

static void set_result(pid_t thread, int64_t result) {
  registers r;
  get(thread, &r);
  RESULT(r) = (unsigned long long)result;
  set(thread, &r);
}

static void halve_count(pid_t thread) {
  registers r;
  get(thread, &r);
  if (THIRD(r) > 1) THIRD(r) /= 2;
  set(thread, &r);
}

// MARK: Files of /proc and /sys

enum { DESCRIPTORS = 1024 };

// The descriptors of files of /proc and /sys, and the threads that are opening one.
static char is_of_proc[DESCRIPTORS];
static pid_t opening[64];

// Replaces a thread among those by another one; 0 stands for none.
static int replace_opening(pid_t thread, pid_t other) {
  for (size_t place = 0; place < sizeof opening / sizeof *opening; place++) {
    if (opening[place] != thread) continue;
    opening[place] = other;
    return 1;
  }
  return 0;
}

// Whether a path leads through a descriptor to a file of another file system, as /proc/self/fd/7/name does.
static int leads_out_of_proc(const char *path) {
  static const char start[] = "/proc/self/fd/";
  if (strncmp(path, start, sizeof start - 1) != 0) return 0;
  return strchr(path + sizeof start - 1, '/') != NULL;
}

// Whether a call that begins is about a file of /proc or /sys.
static int begins_with_proc(pid_t thread, const struct call *call, const char *path, uint64_t descriptor) {
  if (strncmp(path, "/sys/", 5) == 0 || (strncmp(path, "/proc/", 6) == 0 && !leads_out_of_proc(path))) {
    if (call->number == SYS_openat) replace_opening(0, thread);
    return 1;
  }
  if (call->path >= 0 || descriptor >= DESCRIPTORS || !is_of_proc[descriptor]) return 0;
  if (call->number == SYS_close) is_of_proc[descriptor] = 0;
  return 1;
}

static void end_opening(pid_t thread, int64_t result) {
  if (!replace_opening(thread, 0)) return;
  if (result >= 0 && result < DESCRIPTORS) is_of_proc[result] = 1;
}

// MARK: Tracing

static void parse(const char *text) {
  if (strcmp(text, "kill") == 0) action = KILL;
  else if (strcmp(text, "short") == 0) action = SHORT;
  else if (strncmp(text, "signal=", 7) == 0) action = SIGNAL, error = atoi(text + 7);
  else if (strncmp(text, "error=", 6) == 0) action = ERROR, error = atoi(text + 6);
  else if (strncmp(text, "late=", 5) == 0) action = LATE, error = atoi(text + 5);
  else action = NONE;
}

// Breaks the call that a thread is about to make. True when its result has to be replaced.
static int break_call(pid_t thread, const struct call *call) {
  switch (action) {
  case KILL:
    kill(child, SIGKILL);
    return 0;
  case SIGNAL:
    kill(child, error);
    return 0;
  case ERROR:
    if (call->number != SYS_close) skip_call(thread);
    return 1;
  case LATE:
    return 1;
  case SHORT:
    if (call->number == SYS_write || call->number == SYS_pwrite64) halve_count(thread);
    return 0;
  case NONE:
    break;
  }
  return 0;
}

static int trace(FILE *log, const char *place, long wanted) {
  long count = 0;
  int started = 0;
  pid_t broken = 0;
  for (;;) {
    int status;
    pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) {
      if (errno == EINTR) continue;
      return 125;
    }
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (thread != child) continue;
      if (too_late) return 124;
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    int signal = WSTOPSIG(status);
    if (signal != (SIGTRAP | 0x80)) {
      // What the tracing itself brings about is nothing that the program is to see.
      ptrace(PTRACE_SYSCALL, thread, 0, status >> 16 ? 0 : signal);
      continue;
    }
    struct ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0) info.op = PTRACE_SYSCALL_INFO_NONE;
    if (info.op == PTRACE_SYSCALL_INFO_EXIT) end_opening(thread, info.exit.rval);
    if (info.op == PTRACE_SYSCALL_INFO_EXIT && thread == broken) {
      set_result(thread, -error);
      broken = 0;
    } else if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
      const struct call *call = find(info.entry.nr);
      char path[512] = "", second[512] = "";
      if (call && call->path >= 0) read_string(thread, info.entry.args[call->path], path, sizeof path);
      if (call && call->second >= 0) read_string(thread, info.entry.args[call->second], second, sizeof second);
      if (!started) started = strncmp(path, place, strlen(place)) == 0;
      if (call && started && !begins_with_proc(thread, call, path, info.entry.args[0])) {
        count++;
        if (call->path < 0) read_file_of(info.entry.args[0], path, sizeof path);
        fprintf(log, "%ld %s %s %s\n", count, call->name, path, second);
        if (count == wanted && break_call(thread, call)) broken = thread;
      }
    }
    ptrace(PTRACE_SYSCALL, thread, 0, 0);
  }
}

int main(int count, char **arguments) {
  if (count < 7) return 64;
  FILE *log = fopen(arguments[1], "w");
  int gate[2];
  if (!log || pipe(gate) != 0) return 125;
  parse(arguments[5]);
  child = fork();
  if (child < 0) return 125;
  if (child == 0) {
    char byte;
    close(gate[1]);
    if (read(gate[0], &byte, 1) != 1) _exit(125);
    close(gate[0]);
    fclose(log);
    execvp(arguments[6], arguments + 6);
    _exit(127);
  }
  long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                 PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  // The child that is not traced finds the gate closed.
  if (ptrace(PTRACE_SEIZE, child, 0, options) != 0) return 125;
  // A stop to begin with, since only a stopped thread can be told to stop at its calls.
  ptrace(PTRACE_INTERRUPT, child, 0, 0);
  struct sigaction on = {.sa_handler = on_alarm};
  sigaction(SIGALRM, &on, NULL);
  alarm((unsigned)atoi(arguments[2]));
  if (write(gate[1], "", 1) != 1) return 125;
  int status = trace(log, arguments[3], atol(arguments[4]));
  fclose(log);
  return status;
}

#define _GNU_SOURCE
#include "CDecoder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// The child of a process with threads may call only functions that are safe in a signal handler. All of these are system
// calls.

int cdecoder_is_available(void) {
  return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1;
}

static int limit(int resource, rlim_t value) {
  struct rlimit limits = {value, value};
  return setrlimit(resource, &limits);
}

static int allow(int rules, const char *path, uint64_t access) {
  int folder = open(path, O_PATH | O_CLOEXEC);
  // A machine without this place needs no rule for it.
  if (folder < 0) return 0;
  struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = folder};
  int result = (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close(folder);
  return result;
}

// Every access to files that the first version of Landlock knows: each is refused if no rule allows it.
static const uint64_t all_access = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

static int confine_files(void) {
  struct landlock_ruleset_attr attributes = {.handled_access_fs = all_access};
  int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0);
  if (rules < 0) return -1;
  uint64_t file = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
  uint64_t folder = file | LANDLOCK_ACCESS_FS_READ_DIR;
  if (allow(rules, "/usr", folder) != 0 || allow(rules, "/lib", folder) != 0 || allow(rules, "/lib64", folder) != 0 ||
      allow(rules, "/etc/ld.so.cache", file) != 0)
    return -1;
  if (syscall(SYS_landlock_restrict_self, rules, 0) != 0) return -1;
  return close(rules);
}

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "CDecoder does not know the system calls of this architecture."
#endif

#define REFUSE(call) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static int confine_calls(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#if defined(__x86_64__)
      // The calls of the x32 interface have other numbers.
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
#endif
      REFUSE(SYS_socket),
      REFUSE(SYS_socketpair),
      REFUSE(SYS_connect),
      REFUSE(SYS_io_uring_setup),
      REFUSE(SYS_ptrace),
      REFUSE(SYS_process_vm_readv),
      REFUSE(SYS_process_vm_writev),
      REFUSE(SYS_pidfd_open),
      REFUSE(SYS_kill),
      REFUSE(SYS_tkill),
      REFUSE(SYS_rt_sigqueueinfo),
      REFUSE(SYS_keyctl),
      REFUSE(SYS_add_key),
      REFUSE(SYS_request_key),
      REFUSE(SYS_bpf),
      REFUSE(SYS_perf_event_open),
      REFUSE(SYS_userfaultfd),
      REFUSE(SYS_unshare),
      REFUSE(SYS_setns),
      REFUSE(SYS_mount),
      REFUSE(SYS_shmget),
      REFUSE(SYS_msgget),
      REFUSE(SYS_semget),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

static int confine(int input, int output) {
  // Each of the two may have the number that the other one gets.
  int from = fcntl(input, F_DUPFD, STDERR_FILENO + 1), to = fcntl(output, F_DUPFD, STDERR_FILENO + 1);
  if (from < 0 || to < 0 || dup2(from, STDIN_FILENO) < 0 || dup2(to, STDOUT_FILENO) < 0) return -1;
  int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere < 0 || dup2(nowhere, STDERR_FILENO) < 0) return -1;
  if (syscall(SYS_close_range, 3, ~0U, 0) != 0) return -1;
  if (limit(RLIMIT_AS, (rlim_t)2 << 30) != 0 || limit(RLIMIT_CPU, 10) != 0 || limit(RLIMIT_FSIZE, 0) != 0 ||
      limit(RLIMIT_CORE, 0) != 0 || limit(RLIMIT_NOFILE, 64) != 0)
    return -1;
  sigset_t none;
  sigemptyset(&none);
  if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) return -1;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return confine_files() == 0 && confine_calls() == 0 ? 0 : -1;
}

pid_t cdecoder_start(const char *program, char *const arguments[], char *const environment[], int input, int output) {
  pid_t process = fork();
  if (process != 0) return process;
  if (confine(input, output) != 0) _exit(126);
  execve(program, arguments, environment);
  _exit(127);
}

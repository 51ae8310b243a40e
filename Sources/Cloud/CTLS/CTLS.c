#define _GNU_SOURCE
#include "CTLS.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FUNCTIONS(F)                                                                                                  \
  F(ERR_clear_error)                                                                                                  \
  F(ERR_get_error)                                                                                                    \
  F(ERR_reason_error_string)                                                                                          \
  F(SSL_CTX_ctrl)                                                                                                     \
  F(SSL_CTX_free)                                                                                                     \
  F(SSL_CTX_load_verify_dir)                                                                                          \
  F(SSL_CTX_load_verify_file)                                                                                         \
  F(SSL_CTX_new)                                                                                                      \
  F(SSL_CTX_set_default_verify_paths)                                                                                 \
  F(SSL_CTX_set_verify)                                                                                               \
  F(SSL_connect)                                                                                                      \
  F(SSL_ctrl)                                                                                                         \
  F(SSL_free)                                                                                                         \
  F(SSL_get0_param)                                                                                                   \
  F(SSL_get_error)                                                                                                    \
  F(SSL_get_verify_result)                                                                                            \
  F(SSL_new)                                                                                                          \
  F(SSL_read)                                                                                                         \
  F(SSL_set1_host)                                                                                                    \
  F(SSL_set_fd)                                                                                                       \
  F(SSL_shutdown)                                                                                                     \
  F(SSL_write)                                                                                                        \
  F(TLS_client_method)                                                                                                \
  F(X509_VERIFY_PARAM_set1_ip_asc)                                                                                    \
  F(X509_verify_cert_error_string)

static struct {
#define F(name) __typeof__(name) *name;
  FUNCTIONS(F)
#undef F
} tls;

static SSL_CTX *context;
static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Makes a context that checks certificates, and has no authorities yet; NULL if libssl cannot.
static SSL_CTX *make_context(void) {
  SSL_CTX *made = tls.SSL_CTX_new(tls.TLS_client_method());
  if (made == NULL) return NULL;
  if (tls.SSL_CTX_ctrl(made, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, NULL) != 1) {
    tls.SSL_CTX_free(made);
    return NULL;
  }
  tls.SSL_CTX_set_verify(made, SSL_VERIFY_PEER, NULL);
  return made;
}

static void load(void) {
  void *library = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    missing = "libssl.so.3 is not installed (Debian package libssl3)";
    return;
  }
#define F(name)                                                                                                       \
  if ((tls.name = (__typeof__(tls.name))dlsym(library, #name)) == NULL) {                                             \
    missing = "libssl.so.3 has no " #name;                                                                            \
    return;                                                                                                           \
  }
  FUNCTIONS(F)
#undef F
  SSL_CTX *made = make_context();
  if (made == NULL || tls.SSL_CTX_set_default_verify_paths(made) != 1) {
    missing = "libssl.so.3 cannot be set up";
    return;
  }
  context = made;
}

struct ctls_session {
  SSL *ssl;
  const char *reason;
};

static int is_address(const char *host) {
  unsigned char bytes[sizeof(struct in6_addr)];
  return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

// Begins a session with the authorities of a file or a folder; NULL if it has none.
static SSL *begin_with(const char *authorities) {
  // libssl accepts a folder that is not there.
  if (access(authorities, R_OK) != 0) return NULL;
  SSL_CTX *own = make_context();
  if (own == NULL) return NULL;
  // A file that cannot be read as one is a folder.
  int is_set = tls.SSL_CTX_load_verify_file(own, authorities) == 1 || tls.SSL_CTX_load_verify_dir(own, authorities) == 1;
  SSL *ssl = is_set ? tls.SSL_new(own) : NULL;
  // The session holds the context.
  tls.SSL_CTX_free(own);
  return ssl;
}

struct ctls_session *ctls_begin(int socket, const char *host, const char *authorities, const char **reason) {
  pthread_once(&once, load);
  *reason = missing;
  if (context == NULL) return NULL;
  *reason = "there is no memory";
  struct ctls_session *session = calloc(1, sizeof *session);
  if (session == NULL) return NULL;
  SSL *ssl = authorities == NULL ? tls.SSL_new(context) : begin_with(authorities);
  if (ssl == NULL && authorities != NULL) *reason = "the file of the authorities has no certificates";
  if (ssl == NULL) {
    free(session);
    return NULL;
  }
  session->ssl = ssl;
  // The caller writes the rest of its bytes from another place in memory.
  tls.SSL_ctrl(ssl, SSL_CTRL_MODE, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER, NULL);
  int is_set;
  if (is_address(host)) {
    is_set = tls.X509_VERIFY_PARAM_set1_ip_asc(tls.SSL_get0_param(ssl), host) == 1;
  } else {
    is_set = tls.SSL_set1_host(ssl, host) == 1 &&
             tls.SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, (void *)host) == 1;
  }
  if (!is_set || tls.SSL_set_fd(ssl, socket) != 1) {
    *reason = "the name of the server is not valid";
    tls.SSL_free(ssl);
    free(session);
    return NULL;
  }
  return session;
}

// A write to a connection that the other end closed must not end the process. libssl writes with write(2), which has no
// flag for that, so SIGPIPE is blocked meanwhile, and taken if it came.
struct quiet {
  sigset_t before;
  int was_pending;
};

static struct quiet begin_quiet(void) {
  struct quiet quiet;
  sigset_t pipe, pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  quiet.was_pending = sigismember(&pending, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &quiet.before);
  tls.ERR_clear_error();
  errno = 0;
  return quiet;
}

static void end_quiet(struct quiet quiet) {
  int error = errno;
  sigset_t pipe, pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  if (!quiet.was_pending && sigismember(&pending, SIGPIPE)) {
    struct timespec zero = {0, 0};
    sigtimedwait(&pipe, NULL, &zero);
  }
  pthread_sigmask(SIG_SETMASK, &quiet.before, NULL);
  errno = error;
}

static int outcome(struct ctls_session *session, int result) {
  int error = errno;
  switch (tls.SSL_get_error(session->ssl, result)) {
  case SSL_ERROR_WANT_READ: return CTLS_WANTS_READ;
  case SSL_ERROR_WANT_WRITE: return CTLS_WANTS_WRITE;
  case SSL_ERROR_ZERO_RETURN: return CTLS_END;
  case SSL_ERROR_SYSCALL:
    session->reason = error == 0 ? "the connection ended" : strerrordesc_np(error);
    return CTLS_FAILED;
  default: break;
  }
  long verdict = tls.SSL_get_verify_result(session->ssl);
  if (verdict != X509_V_OK) {
    session->reason = tls.X509_verify_cert_error_string(verdict);
    return CTLS_UNTRUSTED;
  }
  unsigned long code = tls.ERR_get_error();
  const char *reason = tls.ERR_reason_error_string(code);
  session->reason = reason == NULL ? "the connection ended" : reason;
  if (ERR_GET_LIB(code) != ERR_LIB_SSL) return CTLS_FAILED;
  int number = ERR_GET_REASON(code);
  int is_plain = number == SSL_R_WRONG_VERSION_NUMBER || number == SSL_R_HTTP_REQUEST ||
                 number == SSL_R_PACKET_LENGTH_TOO_LONG;
  return is_plain ? CTLS_PLAIN : CTLS_FAILED;
}

int ctls_handshake(struct ctls_session *session) {
  struct quiet quiet = begin_quiet();
  int result = tls.SSL_connect(session->ssl);
  int answer = result == 1 ? 1 : outcome(session, result);
  end_quiet(quiet);
  // An end before the keys are agreed on is no end in order.
  if (answer == CTLS_END) session->reason = "the connection ended";
  return answer == CTLS_END ? CTLS_FAILED : answer;
}

long ctls_read(struct ctls_session *session, void *bytes, size_t capacity) {
  struct quiet quiet = begin_quiet();
  int result = tls.SSL_read(session->ssl, bytes, capacity > INT_MAX ? INT_MAX : (int)capacity);
  long answer = result > 0 ? result : outcome(session, result);
  end_quiet(quiet);
  return answer;
}

long ctls_write(struct ctls_session *session, const void *bytes, size_t count) {
  struct quiet quiet = begin_quiet();
  int result = tls.SSL_write(session->ssl, bytes, count > INT_MAX ? INT_MAX : (int)count);
  long answer = result > 0 ? result : outcome(session, result);
  end_quiet(quiet);
  return answer;
}

const char *ctls_reason(struct ctls_session *session) {
  return session->reason == NULL ? "the connection ended" : session->reason;
}

void ctls_end(struct ctls_session *session) {
  struct quiet quiet = begin_quiet();
  // After a failure libssl refuses this, and nothing is left to tell.
  tls.SSL_shutdown(session->ssl);
  end_quiet(quiet);
  tls.SSL_free(session->ssl);
  free(session);
}

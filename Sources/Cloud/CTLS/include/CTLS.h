// Encrypted connections by the system's libssl, which a process loads with its first one.
//
// A program that makes no such connection does not load the library. A security update of the system counts for all
// programs.

#ifndef CTLS_H
#define CTLS_H

#include <stddef.h>

/// One encrypted connection over a connected socket that does not wait.
struct ctls_session;

/// The result of a call that moved no bytes.
enum {
  /// The other end ended the connection in order.
  CTLS_END = 0,
  /// The same call succeeds after the socket can be read.
  CTLS_WANTS_READ = -1,
  /// The same call succeeds after the socket can be written.
  CTLS_WANTS_WRITE = -2,
  /// The connection broke.
  CTLS_FAILED = -3,
  /// The certificate is not valid for the name.
  CTLS_UNTRUSTED = -4,
  /// The other end does not speak TLS.
  CTLS_PLAIN = -5,
};

/// Begins a session as a client, with the certificates of `authorities`, a file or a folder.
///
/// NULL stands for those that the system trusts, or those that SSL_CERT_FILE or SSL_CERT_DIR name.
/// `host` is the name or the IP address that the certificate must have. If there is no session, `*reason` says why.
struct ctls_session *ctls_begin(int socket, const char *host, const char *authorities, const char **reason);

/// Agrees on the keys and checks the certificate: 1 if that is done.
int ctls_handshake(struct ctls_session *session);

/// The number of bytes that were read.
long ctls_read(struct ctls_session *session, void *bytes, size_t capacity);

/// The number of bytes that were written.
long ctls_write(struct ctls_session *session, const void *bytes, size_t count);

/// The reason of the last failure. It is valid until the next call.
const char *ctls_reason(struct ctls_session *session);

/// Tells the other end that nothing follows, and frees the session. The socket stays open.
void ctls_end(struct ctls_session *session);

#endif

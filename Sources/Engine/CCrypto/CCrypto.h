// SHA-256 of libcrypto, as the system has it.
//
// OpenSSL 3.0 deprecates these functions, and offers its general digests (EVP) instead. Those cost a millisecond in
// each process, since the first one reads a configuration and sets up all algorithms. Docs/Benchmarks.md has the figures.

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

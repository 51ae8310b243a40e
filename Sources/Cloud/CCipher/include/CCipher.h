// Ciphers by the system's libcrypto, which a process loads with its first call.
//
// A program that encrypts nothing does not load the library. A security update of the system counts for all programs.

#ifndef CCIPHER_H
#define CCIPHER_H

#include <stddef.h>
#include <stdint.h>

enum {
  CCIPHER_KEY_SIZE = 32,
  CCIPHER_NONCE_SIZE = 12,
  CCIPHER_TAG_SIZE = 16,
  /// The largest number of bytes of one call.
  CCIPHER_MAXIMUM_SIZE = 1 << 30,
};

/// The reason why no call can succeed; NULL if libcrypto is there.
const char *ccipher_missing(void);

/// Encrypts bytes by AES-256-GCM. `sealed` gets the bytes and then the tag. 1 if that is done.
int ccipher_seal(const uint8_t *key, const void *nonce, const void *bytes, size_t count, void *sealed);

/// Decrypts what `ccipher_seal` made: `count` bytes with the tag. 0 if the bytes are not those that it made.
int ccipher_open(const uint8_t *key, const void *nonce, const void *sealed, size_t count, void *bytes);

/// Encrypts 32 bytes to 32 others by AES-256-CBC, or decrypts them: each key gives another permutation. 1 if done.
///
/// There is no initial value, so equal bytes give equal ones. The bytes have to be a digest: their halves never repeat.
int ccipher_permute(const uint8_t *key, int encrypts, const uint8_t *bytes, uint8_t *permuted);

/// Derives a key from a passphrase by scrypt (RFC 7914), which takes 128 * n * r bytes of memory. 1 if that is done.
int ccipher_scrypt(const char *passphrase, size_t count, const uint8_t *salt, size_t salt_count, uint64_t n, uint64_t r,
                   uint64_t p, uint8_t *key);

#endif

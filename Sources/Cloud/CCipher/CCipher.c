#include "CCipher.h"

#include <dlfcn.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stddef.h>

#define FUNCTIONS(F)                                                                                                  \
  F(EVP_CIPHER_CTX_ctrl)                                                                                              \
  F(EVP_CIPHER_CTX_free)                                                                                              \
  F(EVP_CIPHER_CTX_new)                                                                                               \
  F(EVP_CIPHER_CTX_set_padding)                                                                                       \
  F(EVP_CipherFinal_ex)                                                                                               \
  F(EVP_CipherInit_ex)                                                                                                \
  F(EVP_CipherUpdate)                                                                                                 \
  F(EVP_PBE_scrypt)                                                                                                   \
  F(EVP_aes_256_cbc)                                                                                                  \
  F(EVP_aes_256_gcm)

static struct {
#define F(name) __typeof__(name) *name;
  FUNCTIONS(F)
#undef F
} crypto;

static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    missing = "libcrypto.so.3 is not installed (Debian package libssl3)";
    return;
  }
#define F(name)                                                                                                       \
  if ((crypto.name = (__typeof__(crypto.name))dlsym(library, #name)) == NULL) {                                       \
    missing = "libcrypto.so.3 has no " #name;                                                                         \
    return;                                                                                                           \
  }
  FUNCTIONS(F)
#undef F
}

const char *ccipher_missing(void) {
  pthread_once(&once, load);
  return missing;
}

int ccipher_seal(const uint8_t *key, const void *nonce, const void *bytes, size_t count, void *sealed) {
  if (ccipher_missing() != NULL || count > CCIPHER_MAXIMUM_SIZE) return 0;
  EVP_CIPHER_CTX *context = crypto.EVP_CIPHER_CTX_new();
  if (context == NULL) return 0;
  int length = 0, rest = 0;
  int is_done = crypto.EVP_CipherInit_ex(context, crypto.EVP_aes_256_gcm(), NULL, key, nonce, 1) == 1 &&
                (count == 0 || crypto.EVP_CipherUpdate(context, sealed, &length, bytes, (int)count) == 1) &&
                crypto.EVP_CipherFinal_ex(context, (uint8_t *)sealed + length, &rest) == 1 &&
                crypto.EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CCIPHER_TAG_SIZE,
                                           (uint8_t *)sealed + count) == 1;
  crypto.EVP_CIPHER_CTX_free(context);
  return is_done && (size_t)length + (size_t)rest == count;
}

int ccipher_open(const uint8_t *key, const void *nonce, const void *sealed, size_t count, void *bytes) {
  if (ccipher_missing() != NULL || count < CCIPHER_TAG_SIZE || count > CCIPHER_MAXIMUM_SIZE) return 0;
  EVP_CIPHER_CTX *context = crypto.EVP_CIPHER_CTX_new();
  if (context == NULL) return 0;
  size_t size = count - CCIPHER_TAG_SIZE;
  // The end of a stream cipher gives no bytes.
  uint8_t end[CCIPHER_TAG_SIZE];
  int length = 0, rest = 0;
  int is_done = crypto.EVP_CipherInit_ex(context, crypto.EVP_aes_256_gcm(), NULL, key, nonce, 0) == 1 &&
                (size == 0 || crypto.EVP_CipherUpdate(context, bytes, &length, sealed, (int)size) == 1) &&
                crypto.EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CCIPHER_TAG_SIZE,
                                           (uint8_t *)sealed + size) == 1 &&
                crypto.EVP_CipherFinal_ex(context, end, &rest) == 1;
  crypto.EVP_CIPHER_CTX_free(context);
  return is_done && (size_t)length + (size_t)rest == size;
}

int ccipher_permute(const uint8_t *key, int encrypts, const uint8_t *bytes, uint8_t *permuted) {
  if (ccipher_missing() != NULL) return 0;
  EVP_CIPHER_CTX *context = crypto.EVP_CIPHER_CTX_new();
  if (context == NULL) return 0;
  static const uint8_t none[16];
  int length = 0, rest = 0;
  int is_done = crypto.EVP_CipherInit_ex(context, crypto.EVP_aes_256_cbc(), NULL, key, none, encrypts) == 1 &&
                crypto.EVP_CIPHER_CTX_set_padding(context, 0) == 1 &&
                crypto.EVP_CipherUpdate(context, permuted, &length, bytes, 32) == 1 &&
                crypto.EVP_CipherFinal_ex(context, permuted + length, &rest) == 1;
  crypto.EVP_CIPHER_CTX_free(context);
  return is_done && length + rest == 32;
}

int ccipher_scrypt(const char *passphrase, size_t count, const uint8_t *salt, size_t salt_count, uint64_t n, uint64_t r,
                   uint64_t p, uint8_t *key) {
  if (ccipher_missing() != NULL) return 0;
  // Some room beside the 128 * n * r bytes, for the blocks of each lane.
  uint64_t memory = 128 * n * r + 128 * r * p + (1 << 20);
  return crypto.EVP_PBE_scrypt(passphrase, count, salt, salt_count, n, r, p, memory, key, CCIPHER_KEY_SIZE) == 1;
}

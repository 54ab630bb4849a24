#pragma once
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>

/// A read-only memory BIO over `bytes`, which must outlive it.
static inline BIO *dragoman_bio_reading(const void *bytes, int count) { return BIO_new_mem_buf(bytes, count); }

static inline int dragoman_no_passphrase(char *buffer, int size, int writing, void *context) {
  (void)buffer; (void)size; (void)writing; (void)context;
  return -1;
}
/// Reads a PEM private key; NULL when it is none. An encrypted one is refused, where OpenSSL would ask a terminal.
static inline EVP_PKEY *dragoman_read_private_key(const void *pem, int count) {
  BIO *bio = BIO_new_mem_buf(pem, count);
  if (bio == NULL) return NULL;
  EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, dragoman_no_passphrase, NULL);
  BIO_free(bio);
  return key;
}
/// A new RSA key; a macro that Swift does not import.
static inline EVP_PKEY *dragoman_generate_rsa_key(int bits) { return EVP_RSA_gen((size_t)bits); }
/// A new P-256 key; a macro that Swift does not import.
static inline EVP_PKEY *dragoman_generate_ec_key(void) { return EVP_EC_gen("P-256"); }

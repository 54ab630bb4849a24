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

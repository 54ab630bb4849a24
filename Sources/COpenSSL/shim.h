#pragma once
#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

/// A read-only memory BIO over `bytes`, which must outlive it.
static inline BIO *dragoman_bio_reading(const void *bytes, int count) { return BIO_new_mem_buf(bytes, count); }

static inline int dragoman_no_passphrase(char *buffer, int size, int writing, void *context) {
  (void)buffer; (void)size; (void)writing; (void)context;
  return -1;
}
/// Reads a PEM private key; NULL if it is not one, or if it is encrypted (OpenSSL would ask for the passphrase).
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

/// The first or next certificate of a PEM BIO; NULL at its end or if it is damaged.
static inline X509 *dragoman_read_certificate(BIO *pem) {
  return PEM_read_bio_X509(pem, NULL, dragoman_no_passphrase, NULL);
}
/// Whether the last error only means the end of the PEM text; clears the errors.
static inline int dragoman_pem_ended(void) {
  unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

// A BIO over a non-blocking socket that does not raise SIGPIPE, unlike OpenSSL's own.
static inline int dragoman_socket_of(BIO *bio) { return (int)(intptr_t)BIO_get_data(bio); }
static inline int dragoman_socket_write(BIO *bio, const char *bytes, int count) {
  BIO_clear_retry_flags(bio);
  ssize_t sent;
  do sent = send(dragoman_socket_of(bio), bytes, (size_t)count, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) BIO_set_retry_write(bio);
  return (int)sent;
}
static inline int dragoman_socket_read(BIO *bio, char *bytes, int count) {
  BIO_clear_retry_flags(bio);
  ssize_t received;
  do received = recv(dragoman_socket_of(bio), bytes, (size_t)count, 0);
  while (received < 0 && errno == EINTR);
  if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) BIO_set_retry_read(bio);
  if (received == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return (int)received;
}
static inline long dragoman_socket_control(BIO *bio, int command, long number, void *pointer) {
  (void)number; (void)pointer;
  if (command == BIO_CTRL_FLUSH) return 1;
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
  return 0;
}
/// Creates the method of `dragoman_socket_bio`, once per process; NULL if memory is exhausted.
static inline BIO_METHOD *dragoman_socket_method(void) {
  BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "dragoman socket");
  if (method == NULL) return NULL;
  BIO_meth_set_write(method, dragoman_socket_write);
  BIO_meth_set_read(method, dragoman_socket_read);
  BIO_meth_set_ctrl(method, dragoman_socket_control);
  return method;
}
/// A BIO over `fd`, which it does not close; NULL if memory is exhausted.
static inline BIO *dragoman_socket_bio(const BIO_METHOD *method, int fd) {
  BIO *bio = BIO_new(method);
  if (bio == NULL) return NULL;
  BIO_set_data(bio, (void *)(intptr_t)fd);
  BIO_set_init(bio, 1);
  return bio;
}

static inline int dragoman_select_http11(
  SSL *ssl, const unsigned char **chosen, unsigned char *chosen_count, const unsigned char *offered,
  unsigned int offered_count, void *context) {
  static const unsigned char spoken[] = "\x08http/1.1";
  (void)ssl; (void)context;
  // RFC 7301 section 3.2: a client that offers only other protocols gets an alert.
  return SSL_select_next_proto((unsigned char **)chosen, chosen_count, spoken, sizeof spoken - 1, offered, offered_count)
    == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}
/// A context for servers: TLS 1.2 and 1.3 with forward secrecy and authenticated ciphers only (RFC 9325), http/1.1,
/// no renegotiation, no compression. NULL, with OpenSSL's error queue, on failure.
static inline SSL_CTX *dragoman_server_context(void) {
  static const unsigned char sessions[] = "dragoman";
  SSL_CTX *context = SSL_CTX_new(TLS_server_method());
  if (context == NULL) return NULL;
  SSL_CTX_set_options(
    context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE
      | SSL_OP_PRIORITIZE_CHACHA | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(
    context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  // Tickets carry the sessions. A session cache would only let clients fill the memory.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_timeout(context, 3600);
  SSL_CTX_set_security_level(context, 2);
  SSL_CTX_set_alpn_select_cb(context, dragoman_select_http11, NULL);
  if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION)
      && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION)
      && SSL_CTX_set_session_id_context(context, sessions, sizeof sessions - 1)
      && SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384")
      && SSL_CTX_set_cipher_list(
           context, "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
                    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"))
    return context;
  SSL_CTX_free(context);
  return NULL;
}
/// Adds an intermediate certificate after the server's own; 0 with OpenSSL's error queue on failure.
static inline int dragoman_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add1_chain_cert(context, certificate);
}
/// Trusts `certificate` for clients' certificates and names it to them; 0 with OpenSSL's error queue on failure.
static inline int dragoman_trust_client_authority(SSL_CTX *context, X509 *certificate) {
  return X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate) && SSL_CTX_add_client_CA(context, certificate);
}
/// Requires every client to present a certificate of a trusted authority.
static inline void dragoman_require_client_certificate(SSL_CTX *context) {
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
}
/// A context with the certificates of `old` and new ticket keys; NULL if memory is exhausted.
static inline SSL_CTX *dragoman_context_with_new_ticket_keys(SSL_CTX *old) {
  SSL_CTX *context = dragoman_server_context();
  if (context == NULL) return NULL;
  STACK_OF(X509) *chain = NULL;
  SSL_CTX_get0_chain_certs(old, &chain);
  if (SSL_CTX_use_certificate(context, SSL_CTX_get0_certificate(old))
      && SSL_CTX_use_PrivateKey(context, SSL_CTX_get0_privatekey(old))
      && (chain == NULL || SSL_CTX_set1_chain(context, chain))) {
    SSL_CTX_set1_cert_store(context, SSL_CTX_get_cert_store(old));
    SSL_CTX_set_client_CA_list(context, SSL_dup_CA_list(SSL_CTX_get_client_CA_list(old)));
    SSL_CTX_set_verify(context, SSL_CTX_get_verify_mode(old), NULL);
    return context;
  }
  SSL_CTX_free(context);
  return NULL;
}

/// Seconds since 1970; 0 if the time is malformed.
static inline int64_t dragoman_certificate_time(const ASN1_TIME *time) {
  struct tm parts;
  return ASN1_TIME_to_tm(time, &parts) ? (int64_t)timegm(&parts) : 0;
}
/// Writes the subject in RFC 4514 form, truncated to `count` bytes including the NUL; returns its length.
static inline int dragoman_certificate_subject(const X509 *certificate, char *text, int count) {
  BIO *bio = BIO_new(BIO_s_mem());
  if (bio == NULL) return 0;
  int length = 0;
  if (X509_NAME_print_ex(bio, X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) >= 0)
    length = BIO_read(bio, text, count - 1);
  BIO_free(bio);
  if (length < 0) length = 0;
  text[length] = 0;
  return length;
}

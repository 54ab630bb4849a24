// Typed setters for each kind of argument, because Swift cannot call libcurl's variadic ones.
#pragma once
#include <curl/curl.h>
#include <stdint.h>

typedef size_t (*dragoman_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode dragoman_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode dragoman_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode dragoman_curl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode dragoman_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode dragoman_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode dragoman_curl_set_data_callback(CURL *handle, CURLoption option, dragoman_curl_data_callback value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode dragoman_curl_set_open_socket(CURL *handle, curl_opensocket_callback value) {
  return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}
static inline CURLcode dragoman_curl_set_tls_context(CURL *handle, curl_ssl_ctx_callback value) {
  return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, value);
}
static inline CURLcode dragoman_curl_set_progress(CURL *handle, curl_xferinfo_callback value) {
  return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, value);
}
static inline CURLcode dragoman_curl_get_socket(CURL *handle, curl_socket_t *value) {
  return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, value);
}
static inline CURLcode dragoman_curl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode dragoman_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode dragoman_curl_get_pointer(CURL *handle, CURLINFO info, void **value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLMcode dragoman_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
/// The result of a finished transfer's message; a union member that Swift does not import.
static inline CURLcode dragoman_curl_message_result(const CURLMsg *message) { return message->data.result; }

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

/// How long sent bytes may remain unacknowledged, and keep-alive probes unanswered, before the kernel drops a
/// connection. libcurl has no option for it, and would continue to use a dead HTTP/2 connection.
#define DRAGOMAN_UNACKNOWLEDGED_MS 20000

static inline int dragoman_curl_prepare_socket(void *context, curl_socket_t socket, curlsocktype purpose) {
  (void)context;
  if (purpose == CURLSOCKTYPE_IPCXN) {
    unsigned int unacknowledged_ms = DRAGOMAN_UNACKNOWLEDGED_MS;
    // Best effort: a Unix socket or an unusual kernel does not have this option and works without it.
    (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &unacknowledged_ms, sizeof unacknowledged_ms);
  }
  return CURL_SOCKOPT_OK;
}
static inline CURLcode dragoman_curl_bound_unacknowledged(CURL *handle) {
  return curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, dragoman_curl_prepare_socket);
}

#pragma once
#include <libpq-fe.h>

/// Discards the server's notices, which libpq would write to standard error.
static inline void dragoman_pq_ignore_notice(void *context, const PGresult *result) {
  (void)context;
  (void)result;
}

static inline void dragoman_pq_silence(PGconn *connection) {
  PQsetNoticeReceiver(connection, dragoman_pq_ignore_notice, NULL);
}

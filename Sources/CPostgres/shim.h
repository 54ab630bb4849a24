#pragma once
#include <libpq-fe.h>

/// Says nothing: libpq writes the server's notices to standard error otherwise.
static inline void dragoman_pq_ignore_notice(void *context, const PGresult *result) {
  (void)context;
  (void)result;
}

static inline void dragoman_pq_silence(PGconn *connection) {
  PQsetNoticeReceiver(connection, dragoman_pq_ignore_notice, NULL);
}

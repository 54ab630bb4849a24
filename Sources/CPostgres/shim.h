#pragma once
#include <libpq-fe.h>
#include <string.h>

/// Counts the server's warnings and discards all its notices, which libpq would write to standard error.
/// It does not count crash_shutdown, with which each session ends when another process of the server has
/// crashed: that may follow the answer to a COMMIT, and says nothing about it.
static inline void dragoman_pq_count_warning(void *context, const PGresult *result) {
  const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  if (!severity || strcmp(severity, "WARNING") != 0) return;
  if (!state || strcmp(state, "57P02") != 0) ++*(int *)context;
}

/// `warnings` must live as long as the connection.
static inline void dragoman_pq_count_warnings(PGconn *connection, int *warnings) {
  PQsetNoticeReceiver(connection, dragoman_pq_count_warning, warnings);
}

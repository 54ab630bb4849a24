#pragma once
#include <sqlite3.h>

/// Extended result codes, whose macros Swift does not import.
enum {
  dragoman_sqlite_ioerr_fsync = SQLITE_IOERR_FSYNC,
  dragoman_sqlite_ioerr_dir_fsync = SQLITE_IOERR_DIR_FSYNC,
  dragoman_sqlite_ioerr_short_read = SQLITE_IOERR_SHORT_READ
};

/// Turns off the counting of allocated memory, by a variadic function that Swift does not import. Only before the first
/// connection is opened.
static inline int dragoman_sqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/// Binds with `SQLITE_TRANSIENT`, a cast macro that Swift does not import: SQLite copies the bytes. A null pointer
/// means an empty text or blob here, not NULL.
static inline int dragoman_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count) {
  return sqlite3_bind_text(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}
static inline int dragoman_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

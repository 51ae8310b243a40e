// The Session extension of the system's SQLite. Debian builds it in; the header shows it only with these two names.

#ifndef CSQLITESESSION_H
#define CSQLITESESSION_H

#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>

// Swift calls no function with a variable number of arguments.
static inline int csqlite_disable_triggers(sqlite3 *db) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
}

#endif

#include "db/open_database.h"

#include "db/postgresql/server_store.h"
#include "db/sqlite/store_file.h"

namespace hone {

bool IsServerStore(const std::string& where) { return IsPostgresAddress(where); }

Database OpenDatabase(const std::string& where, bool create) {
  return IsServerStore(where) ? OpenServerStore(where, create) : OpenStoreFile(where, create);
}

}  // namespace hone

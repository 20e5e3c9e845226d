// PostgreSQL as an engine of the store.
#pragma once

#include <string>

#include "db/database.h"

namespace hone {

// A connection to the store at an address (IsPostgresAddress), upgraded to the present schema. Its tables are in the
// schema `hone` of the address's database, which must exist; the tables are made if `create`. Throws Error kUsage for
// an address with a password or one that cannot be read. Throws Error kNoInput if there is no such database, or no
// store in it and not `create`. Throws Error kNotAuthorised, kBadData (a schema of another program or of a newer
// version) or kIo (no server answers).
Database OpenServerStore(const std::string& address, bool create);

}  // namespace hone

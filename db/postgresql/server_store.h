// PostgreSQL as an engine of the store.
#pragma once

#include <string>

#include "db/database.h"

namespace hone {

// A connection to the store at an address (IsPostgresAddress), of the present schema. Its tables lie in the schema
// `hone` of the address's database, which must be there; they are made when `create`. Throws Error: kUsage for an
// address with a password or that cannot be read, kNoInput (no such database, or no store in it and not create),
// kNotAuthorised, kBadData (the schema is of another program or of a newer version), kIo (no server answers).
Database OpenServerStore(const std::string& address, bool create);

}  // namespace hone

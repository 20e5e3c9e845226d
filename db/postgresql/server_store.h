// PostgreSQL as an engine of the store, and the addresses of its stores.
#pragma once

#include <string>

#include "db/database.h"

namespace hone {

// Whether the text names a server and not a file: postgresql:// or postgres://. Text that is meant as such counts even
// if misspelt: capitals, leading blanks, another scheme, key=value words with a password.
bool IsPostgresAddress(const std::string& where);

// Throws Error(kUsage) for an address that libpq cannot read or reads differently than it is meant. Also throws for
// one with a password, which everybody on the machine could see: passwords belong into ~/.pgpass, a service file or
// PGPASSWORD. The message holds no part of the address; an accepted address has no secret and may be shown.
void CheckPostgresAddress(const std::string& address);

// A connection to the store at an address (IsPostgresAddress), upgraded to the present schema. Its tables are in the
// schema `hone` of the address's database, which must exist; the tables are made if `create`. Throws Error kUsage for
// an address with a password or one that cannot be read. Throws Error kNoInput if there is no such database, or no
// store in it and not `create`. Throws Error kNotAuthorised, kBadData (a schema of another program or of a newer
// version) or kIo (no server answers).
Database OpenServerStore(const std::string& address, bool create);

}  // namespace hone

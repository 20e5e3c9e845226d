// What names a store on a PostgreSQL server.
#pragma once

#include <string>

namespace hone {

// Whether it names a server and no file: postgresql:// and postgres://, and whatever is meant as such, rightly spelt or
// not (capitals, blanks before it, a scheme of others, key=value words with a password).
bool IsPostgresAddress(const std::string& where);

// Throws Error(kUsage) for an address that libpq cannot read or reads in another way than it is meant, and for one with
// a password in it, which everybody on the machine could see: passwords belong into ~/.pgpass, a service file or
// PGPASSWORD. The message holds no part of the address; one that passes has no secret and may be shown.
void CheckPostgresAddress(const std::string& address);

}  // namespace hone

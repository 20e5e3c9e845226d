// What names a store on a PostgreSQL server.
#pragma once

#include <string>

namespace hone {

// Whether it begins as an address of libpq does: postgresql:// or postgres://.
bool IsPostgresAddress(const std::string& where);

// Throws Error(kUsage) for an address that libpq cannot read, and for one with a password in it, which everybody on
// the machine could see: passwords belong into ~/.pgpass, a service file or PGPASSWORD. The message holds no part of
// the address.
void CheckPostgresAddress(const std::string& address);

}  // namespace hone

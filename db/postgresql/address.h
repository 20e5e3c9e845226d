// Addresses of stores on a PostgreSQL server.
#pragma once

#include <string>

namespace hone {

// Whether the text names a server and not a file: postgresql:// or postgres://. Text that is meant as such counts even
// if misspelt: capitals, leading blanks, another scheme, key=value words with a password.
bool IsPostgresAddress(const std::string& where);

// Throws Error(kUsage) for an address that libpq cannot read or reads differently than it is meant. Also throws for
// one with a password, which everybody on the machine could see: passwords belong into ~/.pgpass, a service file or
// PGPASSWORD. The message holds no part of the address; an accepted address has no secret and may be shown.
void CheckPostgresAddress(const std::string& address);

}  // namespace hone

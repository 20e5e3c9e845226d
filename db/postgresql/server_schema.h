// The tables of a store on a PostgreSQL server. docs/reference/formats.md describes them.
#pragma once

#include <cstdint>

#include "db/postgresql/server_link.h"

namespace hone {

// The key of the advisory lock that writers hold, in PostgreSQL's space of two numbers: "HONE", 0.
inline constexpr const char* kWriteLock = "SELECT pg_advisory_xact_lock(1213156933, 0)";

// The version of the store's tables; 0 if there are none. Throws Error(kBadData) for tables of another program.
int64_t ServerSchemaVersion(ServerLink& link);

// Upgrades the tables to kSchemaVersion, in one transaction. Many processes may do so at once. Throws Error: kBadData
// for a newer version, kNotAuthorised if the role lacks the privilege.
void UpgradeServerSchema(ServerLink& link);

}  // namespace hone

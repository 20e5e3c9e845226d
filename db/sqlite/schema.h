// The tables of a store and how older ones are brought up. docs/formats.md describes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/database.h"
#include "db/schema_version.h"

namespace hone {

// Brings a database from version `from` (0: empty) to kSchemaVersion. Runs inside the caller's transaction.
void UpgradeSchema(Database& database, int64_t from);

// The SQL of every table, index, view and trigger, sorted: what a database has.
std::vector<std::string> SchemaTexts(Database& database);
// What a database of kSchemaVersion must have.
std::vector<std::string> ExpectedSchemaTexts();

}  // namespace hone

// The tables of a store and the upgrades of older ones. docs/reference/formats.md describes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/database.h"
#include "db/trial_row.h"

namespace hone {

// Upgrades a database from version `from` (0: empty) to kSchemaVersion. Runs inside the caller's transaction.
void UpgradeSchema(Database& database, int64_t from);

// The SQL of every table, index, view and trigger in a database, sorted.
std::vector<std::string> SchemaTexts(Database& database);
// The SchemaTexts that a database of kSchemaVersion must have.
std::vector<std::string> ExpectedSchemaTexts();

}  // namespace hone

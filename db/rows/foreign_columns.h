// A foreign trial as a row of the table `foreign_trials`.
#pragma once

#include <cstdint>
#include <string>

#include "db/database.h"
#include "db/foreign_trial.h"

namespace hone {

// The INSERT, which ignores known ids. Its parameters are a RowOf.
extern const char* const kInsertForeign;
// The row views texts of the trial, which must outlive it.
SqlRow RowOf(const ForeignTrial& trial);

// A SELECT of rows for ReadForeign: successful trials first, by cost. An empty workload means any, a limit of 0 all.
Statement SelectForeign(Database& database, const std::string& workload, int64_t limit);
// Throws Error(kBadData) when the row is damaged.
ForeignTrial ReadForeign(const Statement& statement);

}  // namespace hone

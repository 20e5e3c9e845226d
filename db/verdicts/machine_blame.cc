#include "db/verdicts/machine_blame.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "core/failure.h"
#include "db/rows/record_table.h"

namespace hone {
namespace {

std::string SelectSome(bool of_one_workload) {
  std::vector<int> fates;
  for (const Fate fate : kFatesThatMayBlame) fates.push_back(static_cast<int>(fate));
  return fmt::format("SELECT seq, json FROM records WHERE {}seq > ? AND fate IN ({}) ORDER BY seq LIMIT {}",
                     of_one_workload ? "workload = ? AND " : "", fmt::join(fates, ", "), kRowsAtOnce);
}

}  // namespace

void EachBlameForMachine(Database& database, const std::string& workload,
                         const std::function<void(int64_t seq, const std::string& message)>& take) {
  Statement rows(database, SelectSome(!workload.empty()));
  int64_t last = 0;
  for (int count = kRowsAtOnce; count == kRowsAtOnce;) {
    count = 0;
    rows.Reset();
    workload.empty() ? rows.Bind({last}) : rows.Bind({std::string_view(workload), last});
    for (; rows.Step(); ++count) {
      last = rows.Integer(0);
      const Measurement measurement = RecordFromColumn(rows, 1).measurement;
      if (BlamesForMachine(measurement.fate, measurement.message)) take(last, measurement.message);
    }
  }
}

}  // namespace hone

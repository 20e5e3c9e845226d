// The table `setups`: every Setup of a store's records, once. A lookup reads a thousand records of a workload, which
// come from only a few machines and targets.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "db/database.h"
#include "db/rows/trial_row.h"
#include "db/setup.h"

namespace hone {

// A Setup in the form of its table. The members are those of a TrialRow.
struct SetupColumns {
  std::string triple, cpu, features;
  int threads = 1;
  std::string fingerprint;
  CacheMode cache = CacheMode::kColdWeights;
  std::string llvm_cpu;
  auto operator<=>(const SetupColumns&) const = default;
};
SetupColumns SetupColumnsOf(const TrialRow& row);

// The setups by number, cached: the meaning of a committed number never changes. Used by one thread at a time; the
// database must outlive it.
class SetupTable {
 public:
  struct Known {
    SharedSetup setup;
    std::string llvm_cpu;
  };

  explicit SetupTable(Database& database) : database_(database) {}

  // The number of a setup, from 1; assigns one if it has none. Called inside a Transaction.
  int64_t NumberOf(const SetupColumns& columns);
  // Must be called when a Transaction in which NumberOf was called did not commit.
  void Forget() { numbers_.clear(); }
  // Null if the table does not have the number.
  const Known* Find(int64_t number);

 private:
  std::optional<int64_t> Look(const SetupColumns& columns);

  Database& database_;
  std::map<SetupColumns, int64_t> numbers_;
  std::map<int64_t, Known> known_;
};

}  // namespace hone

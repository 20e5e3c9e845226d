// The table `setups`: every Setup that a store's records have, once. A lookup reads a thousand records of a workload,
// and they are of a handful of machines and targets.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "db/database.h"
#include "db/record.h"
#include "db/setup.h"

namespace hone {

// A Setup as its table and a record's columns say it.
struct SetupColumns {
  std::string triple, cpu, features;  // of the target; features sorted, with commas between them
  std::string fingerprint, llvm_cpu;  // of the machine that timed
  std::string device;                 // the fingerprint's short id, which the table leaves out
  int threads = 1;
  CacheMode cache = CacheMode::kColdWeights;
  auto operator<=>(const SetupColumns&) const = default;
};
SetupColumns SetupColumnsOf(const Record& record);

// Numbers and what they stand for, remembered: a number that was committed means the same for ever. Used by one thread
// at a time; the database must outlive it.
class SetupTable {
 public:
  struct Known {
    SharedSetup setup;
    std::string llvm_cpu;
  };

  explicit SetupTable(Database& database) : database_(database) {}

  // The number of a setup, which gets one where it has none; from 1. Inside a Transaction.
  int64_t NumberOf(const SetupColumns& columns);
  // To be called when a Transaction in which NumberOf was called did not go through.
  void Forget() { numbers_.clear(); }
  // Null when the table does not have it.
  const Known* Find(int64_t number);

 private:
  std::optional<int64_t> Look(const SetupColumns& columns);

  Database& database_;
  std::map<SetupColumns, int64_t> numbers_;
  std::map<int64_t, Known> known_;
};

}  // namespace hone

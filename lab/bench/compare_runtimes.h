// Runtimes on several machines, for one table of machines by runtimes for each model.
#pragma once

#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "lab/bench/bench_result.h"
#include "lab/bench/time_runtimes_there.h"
#include "rpc_runner/runner.h"

namespace hone {

// One model on one machine.
struct RuntimesOnMachine {
  std::string model;
  Environment machine;
  int64_t images = 1;                  // of a run
  double price_per_hour = 0;           // in any currency; 0: not given
  std::vector<RuntimeTimes> runtimes;  // in the order asked
};

struct CompareRuntimesOptions {
  RemoteRunnerOptions remote;       // without the key
  std::vector<std::string> keys;    // a machine of each
  std::vector<std::string> models;  // those of `there` have another name each
  RuntimesThereOptions there;
  std::vector<std::string> prices;  // as SetPrices takes them
};

// Leases one machine after another, and times all models there. Sorted by model, then in the order of the keys. Throws
// Error as MakeRemoteRunner, TimeRuntimesThere and SetPrices do.
std::vector<RuntimesOnMachine> CompareRuntimes(const CompareRuntimesOptions& options);

// Money for a million images, in the currency of the prices; 0 without a price or times.
double PriceOfMillion(const RuntimesOnMachine& on, const RuntimeTimes& runtime);

// The document that `hone compare --measure --runtime --json` prints (docs/reference/cli.md). Tables are drawn from it.
Json RuntimesJson(const std::vector<RuntimesOnMachine>& all);

}  // namespace hone

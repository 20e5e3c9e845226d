// Models on the command line across the devices of a store: what `hone compare` and `hone report` share.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/comparison/compare_records.h"
#include "cli/comparison/comparison_json.h"
#include "cli/machine_options.h"
#include "cli/model.h"

namespace hone {

struct RecordComparisonOptions {
  MachineOptions machine;           // with --target and --threads only devices with these
  std::string device, accept;       // --device, --accept
  std::vector<std::string> prices;  // --price
};
void AddRecordComparisonOptions(CommandLine& line, RecordComparisonOptions& options);

std::vector<ModelToCompare> LoadModels(const std::vector<std::string>& names, const ModelOptions& details);

// With portability, and prices set. Throws Error(kUsage) for options that name nothing.
ComparisonReport CompareModels(const RecordStore& store, const std::vector<ModelToCompare>& models,
                               const RecordComparisonOptions& options);

// Of all cells' layers with knobs: the workloads.
std::set<std::string> LayerNames(const Comparison& c);

}  // namespace hone

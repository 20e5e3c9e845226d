// Compares models across the devices of a store, with prices if they are given.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lab/comparison/compare_records.h"
#include "lab/comparison/comparison.h"
#include "lab/comparison/comparison_json.h"
#include "lab/machine/machine.h"
#include "lab/model/model.h"

namespace hone {

struct RecordComparisonOptions {
  MachineOptions machine;           // --target and --threads restrict the devices
  std::string device, accept;       // --device, --accept
  std::vector<std::string> prices;  // --price
};

std::vector<ModelToCompare> LoadModels(const std::vector<std::string>& names, const ModelOptions& details);

// Compares with portability and with prices set. Throws Error(kUsage) for options that match nothing.
ComparisonReport CompareModels(const RecordStore& store, const std::vector<ModelToCompare>& models,
                               const RecordComparisonOptions& options);

// Workloads of all cells' layers with knobs.
std::set<std::string> LayerNames(const Comparison& c);

// Sets price_per_hour from texts such as "KEY=0.17/h". KEY is a runner's key or label, a host, or a fingerprint's short
// id, and applies to every row of that machine. Throws Error(kUsage) on another form, if no device has such a name, or
// if two of them give one row different prices.
void SetPrices(const std::vector<std::string>& texts, Comparison& comparison);

// Whether `name` is the device's key, label, host or short id.
bool IsNamed(const ComparedDevice& device, const std::string& name);

}  // namespace hone

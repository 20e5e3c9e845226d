// Makes a comparison from a store's records of the machines in it; nothing is measured.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/layers.h"
#include "compiler/relay/expr.h"
#include "core/build_context.h"
#include "db/record_store.h"
#include "lab/comparison/comparison.h"
#include "lab/records/best_records.h"

namespace hone {

// The machines that a store has records of, and the best records of each.

struct StoreDevice {
  ComparedDevice device;                                   // without environment, roofs and price
  std::unordered_map<std::string, SetupTrials> workloads;  // by text
};

// The devices that match the query, in the order of their first records. Reads the store's keys once.
std::vector<StoreDevice> DevicesOf(const RecordStore& store, const RecordQuery& query);

struct ModelToCompare {
  std::string name;
  relay::IRModule typed = {};
  // Its layers for a machine; null: those of `typed`.
  std::function<std::vector<Layer>(const BuildContext& context)> layers = {};
  int64_t images = 0;  // in a run; 0: those of `typed`
};

struct CompareRecordsOptions {
  BuildContext context;  // without target and threads, which each device has
  // The roofs of a device whose records report none; AssumedRoofs if empty.
  std::function<MachineRoofs(const ComparedDevice& device)> roofs;
};

// Compares each device by its own layers: those that the passes make of the model for its target and threads. A layer
// with knobs has the time of its best record; one without is estimated from the bytes that it moves. A device's roofs
// are those that its records report, if they are credible. Devices without a time for any layer are left out.
Comparison CompareRecords(const RecordStore& store, const std::vector<StoreDevice>& devices,
                          const std::vector<ModelToCompare>& models, const CompareRecordsOptions& options);

// The roofs that `hone targets` assumes for the device's kind of CPU.
MachineRoofs AssumedRoofs(const ComparedDevice& device);

// The first dimension of the first input; 1 if there is no input.
int64_t ImagesOf(const relay::IRModule& typed);

// The element type that the workload multiplies or passes on: "float32", "bfloat16", "int8".
std::string PrecisionOf(const Workload& workload);

}  // namespace hone

// Makes a comparison from a store's records; nothing is measured.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/build_context.h"
#include "lab/comparison/comparison.h"
#include "lab/comparison/store_devices.h"

namespace hone {

struct ModelToCompare {
  std::string name;
  relay::IRModule typed;
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

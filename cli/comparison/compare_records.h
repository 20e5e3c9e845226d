// A comparison out of what a store holds; nothing is measured.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/comparison/comparison.h"
#include "cli/comparison/store_devices.h"
#include "compiler/relay/expr.h"
#include "core/build_context.h"

namespace hone {

struct ModelToCompare {
  std::string name;
  relay::IRModule typed;
};

struct CompareRecordsOptions {
  BuildContext context;  // but for target and threads, which are each device's
  // The roofs of a device whose records tell none; AssumedRoofs where it is empty.
  std::function<MachineRoofs(const ComparedDevice& device)> roofs;
};

// Each device with its own layers: what the passes make of the model for its target and threads. A layer with knobs has
// the time of its best record, one without is estimated from the bytes that it moves. A device's roofs are those that
// these records tell, where they are credible. Devices without a time for any layer are left out.
Comparison CompareRecords(const RecordStore& store, const std::vector<StoreDevice>& devices,
                          const std::vector<ModelToCompare>& models, const CompareRecordsOptions& options);

// What `hone targets` assumes of the device's kind of CPU.
MachineRoofs AssumedRoofs(const ComparedDevice& device);

// The first dimension of the first input; 1 without one.
int64_t ImagesOf(const relay::IRModule& typed);

// What the workload multiplies or passes on: "float32", "bfloat16", "int8".
std::string PrecisionOf(const Workload& workload);

}  // namespace hone

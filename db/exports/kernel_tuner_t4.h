// Records as Kernel Tuner's T4 results, which its plots and other tuners' tools read.
#pragma once

#include <vector>

#include "core/json/serialize.h"
#include "db/record.h"

namespace hone {

// An object of the T4 results schema, version 1.0.0: one result per record, in their order. `configuration` holds the
// schedule and its knobs. Values without a field in the schema (workload, target, device, threads, record) are texts
// among the measurements. Times are in ms; the time is the least sample and is left out if there is none.
Json KernelTunerT4(const std::vector<Record>& records);

}  // namespace hone

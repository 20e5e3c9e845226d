// Records as Kernel Tuner's T4 results, which its plots and other tuners' tools read.
#pragma once

#include <vector>

#include "core/serialize.h"
#include "db/record.h"

namespace hone {

// An object of the T4 results schema, version 1.0.0: one result a record, in their order. `configuration` holds the
// schedule and its knobs; what the schema has no field for (workload, target, device, threads, record) stands among the
// measurements, as texts. Times are in ms; the time is the least sample, and is left out where there is none.
Json KernelTunerT4(const std::vector<Record>& records);

}  // namespace hone

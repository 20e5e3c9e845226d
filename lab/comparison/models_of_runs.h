// The models that a store's tuning runs name.
#pragma once

#include <vector>

#include "db/record_store.h"
#include "lab/comparison/compare_records.h"

namespace hone {

// The models of the newest runs, at most kMostModels, without their files: a model's layers are the tasks that its
// newest run for the target and threads names. So its time is that of the layers with knobs. Each batch is a model of
// its own. Runs of an older hone that name no tasks are left out, and one that names no batch counts as batch 1.
constexpr size_t kMostModels = 8;
std::vector<ModelToCompare> ModelsOfRuns(const RecordStore& store);

}  // namespace hone

// Why a build takes a record for a workload, and none of the others.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "compiler/schedules/schedule.h"
#include "core/json/serialize.h"
#include "db/record_layers.h"
#include "lab/machine/machine.h"
#include "tuner/record_config_source.h"

namespace hone {

// The records that a build considers for a workload, with a verdict on each.
struct WhyAnswer {
  Task task;
  Machine machine;
  std::vector<ConsideredRecord> considered;         // as RecordConfigSource::Consider orders them
  std::vector<std::optional<ExpectedLoss>> losses;  // of each considered record
  std::optional<ConfigChoice> taken;                // present if a record is taken
  DefaultConfig otherwise;                          // the analytic default, which a build uses if no record is taken
};

// Asks about the task's workload as a build for `machine` does. Without layers only the default is known.
WhyAnswer AskWhy(const Task& task, const Machine& machine, const RecordLayers& layers,
                 const RecordConfigSource& source);

// The machine that measured a record, against the one that the build is for: "exactly this machine".
std::string RankText(int rank);
// Why a record is not taken: "slower", "other threads", "lacks avx512f". "taken" for the one that is.
std::string ReasonText(const ConsideredRecord& considered, const WhyAnswer& answer);
// A table of at most `limit` records (0: all) that are not taken, then a line with the one taken and its source.
std::string WhyText(const WhyAnswer& answer, const RecordLayers& layers, size_t limit);
// One workload of `hone log why --json`.
Json WhyJson(const WhyAnswer& answer, const RecordLayers& layers);

}  // namespace hone

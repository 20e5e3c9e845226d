// The answer of `hone log why`, and its text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "compiler/schedules/schedule.h"
#include "core/json/serialize.h"
#include "lab/machine/machine.h"
#include "tuner/record_config_source.h"

namespace hone {

struct WhyAnswer {
  Task task;
  Machine machine;
  std::vector<ConsideredRecord> considered;         // as RecordConfigSource::Consider orders them
  std::vector<std::optional<ExpectedLoss>> losses;  // of each considered record
  std::optional<ConfigChoice> taken;                // present if a record is taken
  DefaultConfig otherwise;                          // the analytic default, which a build uses if no record is taken
};
WhyAnswer AskWhy(const Task& task, const Machine& machine, const RecordLayers& layers,
                 const RecordConfigSource& source);

// Why a record is not taken: "slower", "other threads", "lacks avx512f". "taken" for the one that is.
std::string VerdictText(const ConsideredRecord& considered, const BestWanted& wanted);

// A table of at most `limit` records (0: all) that are not taken, then a line with the one taken and its source.
std::string WhyText(const WhyAnswer& answer, const RecordLayers& layers, size_t limit);
Json WhyJson(const WhyAnswer& answer, const RecordLayers& layers);

}  // namespace hone

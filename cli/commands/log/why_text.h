// What `hone log why` finds, and how people read it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/machine_options.h"
#include "compiler/build.h"
#include "compiler/schedules/schedule.h"
#include "core/serialize.h"
#include "tuner/record_config_source.h"

namespace hone {

struct WhyAnswer {
  Task task;
  Machine machine;
  std::vector<ConsideredRecord> considered;         // as RecordConfigSource::Consider orders them
  std::vector<std::optional<ExpectedLoss>> losses;  // of each of them
  std::optional<ConfigChoice> taken;                // of a record
  DefaultConfig otherwise;                          // the analytic default: what a build takes when no record is
};
WhyAnswer AskWhy(const Task& task, const Machine& machine, const RecordLayers& layers,
                 const RecordConfigSource& source);

// Why a record is not taken: "slower", "other threads", "lacks avx512f"; "taken" of the one that is.
std::string VerdictText(const ConsideredRecord& considered, const BestWanted& wanted);

// A table of at most `limit` records (0: all) that are not taken, then a line with what is and where it is from.
std::string WhyText(const WhyAnswer& answer, const RecordLayers& layers, size_t limit);
Json WhyJson(const WhyAnswer& answer, const RecordLayers& layers);

}  // namespace hone

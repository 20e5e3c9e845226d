// A schedule's knobs as a table of rows: all that is known of a knob is said in its row, and nowhere else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config_space.h"
#include "core/target.h"
#include "core/workload.h"

namespace hone {

// The values that a config may name, worth trying or not: least, least + step, ... up to most.
struct KnobRange {
  int64_t least = 0, most = 0, step = 1;
  bool Holds(int64_t value) const { return value >= least && value <= most && (value - least) % step == 0; }
};

// The values worth trying for a workload on a machine, near ones first; none: a space leaves the knob out.
using KnobValues = std::vector<int64_t> (*)(const Workload& workload, const MachineModel& machine);

// The same values everywhere.
template <int64_t... kValues>
std::vector<int64_t> Always(const Workload& /*workload*/, const MachineModel& /*machine*/) {
  return {kValues...};
}

struct KnobRow {
  std::string_view name;  // as configs and records spell it: permanent, and it outlives the row
  int64_t otherwise = 0;  // what a config means that leaves the knob out: permanent
  KnobRange range;
  KnobValues values = nullptr;
};

// The base of a schedule's knobs. Each member is a row and holds the knob's value in the config that the table was made
// from, or the default where the config leaves it out:
//
//   struct SomeKnobs : KnobTable {
//     using KnobTable::KnobTable;
//     int64_t tile_ow = Row("tile_ow", 1, {1, 64}, Widths);  // outputs along w of one register tile
//   };
//
// Space, parsing, refusals and the tuner's features follow from the rows, in their order. The config must outlive it.
class KnobTable {
 public:
  explicit KnobTable(const Config& config);

  // The knob "workers", the last row of every table: how many of the threads share the kernel's work, 0 for all. Worth
  // trying where the work is so small that waking others may take longer.
  int64_t workers = 0;

  const std::vector<KnobRow>& rows() const { return rows_; }
  ConfigSpace Space(const Workload& workload, const MachineModel& machine) const;
  // A sentence naming the first knob of the config that has no row, else the first value outside its range together
  // with the range; nullopt when the config has neither.
  std::optional<std::string> Refusal() const;

 protected:
  int64_t Row(std::string_view name, int64_t otherwise, KnobRange range, KnobValues values);

 private:
  int64_t ValueAt(size_t place) const;
  std::optional<std::string> UnknownKnob() const;

  const Config& config_;
  std::vector<KnobRow> rows_;
};

}  // namespace hone

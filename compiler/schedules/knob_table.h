// A schedule's knobs as a table of rows. Everything known about a knob is in its row and nowhere else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config_space.h"
#include "core/machine/target.h"
#include "core/workload.h"

namespace hone {

// The values that a config may have, worth trying or not: least, least + step, ... up to most.
struct KnobRange {
  int64_t least = 0, most = 0, step = 1;
  bool Holds(int64_t value) const { return value >= least && value <= most && (value - least) % step == 0; }
};

// The values worth trying for a workload on a machine, with similar values next to each other. If there are none, a
// space leaves the knob out.
using KnobValues = std::vector<int64_t> (*)(const Workload& workload, const MachineModel& machine);

// One list of values for every workload and machine.
template <int64_t... kValues>
std::vector<int64_t> Always(const Workload& /*workload*/, const MachineModel& /*machine*/) {
  return {kValues...};
}

struct KnobRow {
  std::string_view name;  // as configs and records spell it: permanent; must outlive the row
  int64_t otherwise = 0;  // value if a config leaves the knob out: permanent
  KnobRange range;
  KnobValues values = nullptr;
};

// The base of a schedule's knobs. Each member is a row and holds the knob's value in the table's config, or the default
// if the config leaves it out:
//
//   struct SomeKnobs : KnobTable {
//     using KnobTable::KnobTable;
//     int64_t tile_ow = Row("tile_ow", 1, {1, 64}, Widths);  // outputs along w of one register tile
//   };
//
// Space, parsing, refusals and the tuner's features follow from the rows, in the order of the rows. The config must
// outlive the table.
class KnobTable {
 public:
  explicit KnobTable(const Config& config);

  // The knob "workers", the last row of every table: number of threads that share the kernel's work, 0 for all. Worth
  // trying for work so small that waking other threads may take longer.
  int64_t workers = 0;

  const std::vector<KnobRow>& rows() const { return rows_; }
  ConfigSpace Space(const Workload& workload, const MachineModel& machine) const;
  // A sentence that names the first knob of the config without a row, else the first value outside its range, with that
  // range. Returns nullopt if the config has neither.
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

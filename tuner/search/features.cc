#include "tuner/search/features.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

class Row {
 public:
  template <typename T>
  void Add(T value) {
    row_[next_++] = static_cast<float>(value);
  }
  const Features& features() const { return row_; }

 private:
  Features row_{};
  size_t next_ = 0;
};

// FNV-1a, reduced to bits that a float holds exactly: distinguishes schedules without a list of them.
uint32_t NameNumber(std::string_view name) {
  uint32_t hash = 2166136261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash >> 12;
}

struct Extents {
  double in, out, rows, width, taps;

  explicit Extents(const Workload& w) {
    const Shape shape = w.OutputShape();
    if (w.is_batch_matmul()) {
      in = static_cast<double>(w.Extent('K'));
      out = static_cast<double>(w.Extent('N'));
      rows = static_cast<double>(w.Extent('M'));
      width = static_cast<double>(w.Extent('B'));
      taps = 1;
      return;
    }
    in = static_cast<double>(w.is_conv() ? w.weight[1] : w.data[1]);
    out = static_cast<double>(w.weight[0]) / static_cast<double>(w.groups);
    rows = w.is_conv() ? static_cast<double>(shape[2]) : static_cast<double>(w.data[0]);
    width = w.is_conv() ? static_cast<double>(shape[3]) : 1;
    taps = w.is_conv() ? static_cast<double>(w.weight[2] * w.weight[3]) : 1;
  }
};

void AddWork(Row& row, const Workload& w) {
  const Extents e(w);
  row.Add(e.in);
  row.Add(e.out);
  row.Add(e.rows);
  row.Add(e.width);
  row.Add(e.taps);
  row.Add(w.strides[0]);
  row.Add(w.Flops());
  row.Add(static_cast<int>(w.epilogue));
}

void AddKnobs(Row& row, const Schedule& schedule, const Config& config) {
  const std::vector<std::string_view>& columns = KnobColumns();
  std::array<int64_t, kKnobColumns + kOtherKnobs> values{};
  size_t other = kKnobColumns;
  for (const KnobRow& knob : schedule.Knobs()) {
    const auto column = std::find(columns.begin(), columns.end(), knob.name);
    const auto place = column == columns.end() ? other++ : static_cast<size_t>(column - columns.begin());
    if (place < values.size()) values[place] = config.Get(knob.name, knob.otherwise);
  }
  for (const int64_t value : values) row.Add(value);
}

// Features of the register tile: its fit to the line, its reuse and its working sets.
void AddTile(Row& row, const MachineModel& machine, const TileShape& t) {
  const auto l1 = static_cast<double>(machine.l1_bytes), l2 = static_cast<double>(machine.l2_bytes);
  const double tiles = std::ceil(t.line / t.rows);
  row.Add((t.accumulators() + t.vectors + 1) / machine.vector_registers);
  row.Add((t.rows + t.vectors) / t.accumulators());
  row.Add(t.line / (tiles * t.rows));
  row.Add(tiles);
  row.Add(t.weight_bytes / l1);
  row.Add(t.weight_bytes / l2);
  row.Add(t.input_bytes / l1);
  row.Add(t.input_bytes / l2);
  row.Add((t.weight_bytes + t.input_bytes) / static_cast<double>(machine.l3_bytes));
  row.Add(t.workspace_bytes / l2);
  row.Add(t.passes);
  row.Add(t.steps / t.unroll);
  row.Add(t.groups);
}

std::vector<std::string_view> FirstKnobNames() {
  std::vector<std::string_view> names;
  for (const Schedule* schedule : AllSchedules()) {
    for (const KnobRow& knob : schedule->Knobs()) {
      const bool known = std::find(names.begin(), names.end(), knob.name) != names.end();
      if (!known && names.size() < kKnobColumns) names.push_back(knob.name);
    }
  }
  return names;
}

}  // namespace

const std::vector<std::string_view>& KnobColumns() {
  static const std::vector<std::string_view> names = FirstKnobNames();
  return names;
}

Features FeaturesOf(const Schedule& schedule, const Workload& workload, const MachineModel& machine,
                    const Config& config, double estimate_ns) {
  Row row;
  AddWork(row, workload);
  row.Add(NameNumber(schedule.name()));
  AddKnobs(row, schedule, config);
  AddTile(row, machine, schedule.Tile(workload, machine, config));
  row.Add(machine.vector_lanes);
  row.Add(machine.vector_registers);
  row.Add(machine.l1_bytes);
  row.Add(machine.l2_bytes);
  row.Add(std::log(std::max(1.0, estimate_ns)));
  return row.features();
}

}  // namespace hone

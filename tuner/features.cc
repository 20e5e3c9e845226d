#include "tuner/features.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr std::array<const char*, 12> kKnobs = {"oc_block", "ic_block",  "tile_oc",    "tile_ow",
                                                "tile_oh",  "unroll_ic", "ic_chunk",   "loop_order",
                                                "prefetch", "tile_m",    "tile_block", "unroll_kh"};
constexpr size_t kOtherKnobs = 4;

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

// FNV-1a, cut to what a float holds exactly: tells schedules apart without a list of them.
uint32_t NameNumber(const std::string& name) {
  uint32_t hash = 2166136261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash >> 12;
}

struct Extents {
  double in, out, rows, width, taps, input_row;

  explicit Extents(const Workload& w) {
    const Shape shape = w.OutputShape();
    if (w.is_batch_matmul()) {
      in = static_cast<double>(w.Extent('K'));
      out = static_cast<double>(w.Extent('N'));
      rows = static_cast<double>(w.Extent('M'));
      width = static_cast<double>(w.Extent('B'));
      taps = input_row = 1;
      return;
    }
    in = static_cast<double>(w.weight[1]);
    out = static_cast<double>(w.weight[0]) / static_cast<double>(w.groups);
    rows = w.is_conv() ? static_cast<double>(shape[2]) : static_cast<double>(w.data[0]);
    width = w.is_conv() ? static_cast<double>(shape[3]) : 1;
    taps = w.is_conv() ? static_cast<double>(w.weight[2] * w.weight[3]) : 1;
    input_row = w.is_conv() ? static_cast<double>(w.data[3] * w.weight[2]) : 1;
  }
};

void AddWork(Row& row, const Workload& w, const Extents& e) {
  row.Add(e.in);
  row.Add(e.out);
  row.Add(e.rows);
  row.Add(e.width);
  row.Add(e.taps);
  row.Add(w.strides[0]);
  row.Add(w.Flops());
  row.Add(static_cast<int>(w.epilogue));
}

void AddKnobs(Row& row, const Config& config) {
  for (const char* knob : kKnobs) row.Add(config.Get(knob, 0));
  size_t others = 0;
  for (const auto& [knob, value] : config.values()) {
    const bool known = std::find(kKnobs.begin(), kKnobs.end(), knob) != kKnobs.end();
    if (known || others == kOtherKnobs) continue;
    row.Add(value);
    ++others;
  }
  for (; others < kOtherKnobs; ++others) row.Add(0);
}

// The register tile, how well it fits the row, what it reuses and what it walks over.
void AddTile(Row& row, const MachineModel& machine, const Config& config, const Extents& e) {
  const auto knob = [&config](const char* name) {
    return static_cast<double>(std::max<int64_t>(1, config.Get(name, 1)));
  };
  const double block = knob("oc_block"), lanes = std::min<double>(machine.vector_lanes, block);
  const double pixels = knob("tile_ow"), vectors = knob("tile_oc") * block / lanes;
  const double width = e.width * knob("tile_oh");
  const double blocks = std::ceil(e.in / knob("ic_block"));
  const double chunk = config.Get("ic_chunk", 0) > 0 ? std::min(blocks, knob("ic_chunk")) : blocks;
  const double weights = chunk * knob("ic_block") * block * knob("tile_oc") * e.taps * 4;
  const double input = e.input_row * knob("tile_oh") * e.in * 4;
  row.Add((pixels * vectors + vectors + 1) / machine.vector_registers);
  row.Add((pixels + vectors) / (pixels * vectors));
  row.Add(width / (std::ceil(width / pixels) * pixels));
  row.Add(std::ceil(width / pixels));
  row.Add(weights / static_cast<double>(machine.l1_bytes));
  row.Add(weights / static_cast<double>(machine.l2_bytes));
  row.Add(input / static_cast<double>(machine.l1_bytes));
  row.Add(input / static_cast<double>(machine.l2_bytes));
  row.Add((weights + input) / static_cast<double>(machine.l3_bytes));
  row.Add(std::ceil(blocks / chunk));
  row.Add(e.taps * e.in / knob("unroll_ic"));
  row.Add(std::ceil(e.out / (block * knob("tile_oc"))));
}

}  // namespace

Features FeaturesOf(const Workload& workload, const MachineModel& machine, const Proposal& proposal,
                    double estimate_ns) {
  static_assert(kFeatures == 8 + 1 + kKnobs.size() + kOtherKnobs + 12 + 5);
  const Extents extents(workload);
  Row row;
  AddWork(row, workload, extents);
  row.Add(NameNumber(proposal.schedule));
  AddKnobs(row, proposal.config);
  AddTile(row, machine, proposal.config, extents);
  row.Add(machine.vector_lanes);
  row.Add(machine.vector_registers);
  row.Add(machine.l1_bytes);
  row.Add(machine.l2_bytes);
  row.Add(std::log(std::max(1.0, estimate_ns)));
  return row.features();
}

}  // namespace hone

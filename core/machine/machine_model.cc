#include <algorithm>
#include <set>
#include <string_view>

#include "core/machine/cpu_feature_table.h"
#include "core/machine/machine_rows.h"
#include "core/text/parse_number.h"

namespace hone {
namespace {

struct CpuRow {
  std::string_view cpu;
  std::string_view row;            // of MachineRows, by name
  int64_t l1_kib, l2_kib, l3_kib;  // of one core; a cluster's shared cache is divided by its cores
  std::string_view features = {};  // that it has beside the row's, separated by blanks
  double bfloat_cost = 1;          // MachineModel::bfloat_dot_cost
  double division_cost = MachineModel().division_cost;
  bool gathers = false;  // HasFastGathers
};

// Cache sizes are from the makers' manuals. Divisions were timed: 16 cycles on a Granite Rapids guest, 3.3 on a Zen 4
// guest. A CPU without a third level repeats the second in its column. On an Emerald Rapids guest a linear resize to a
// quarter takes 0.33 ms with gathers and 0.41 with a load for each lane; on Zen CPUs gathers are slower than loads.
constexpr CpuRow kCpus[] = {
    {"x86-64", "sse4", 32, 256, 1024},
    {"x86-64-v2", "sse4", 32, 256, 1024},
    {"nehalem", "sse4", 32, 256, 2048},
    {"sandybridge", "sse4", 32, 256, 2048},
    {"ivybridge", "sse4", 32, 256, 2048},
    {"x86-64-v3", "avx2", 32, 256, 1024},
    {"haswell", "avx2", 32, 256, 2048},
    {"broadwell", "avx2", 32, 256, 2048},
    {"skylake", "avx2", 32, 256, 2048},
    {"alderlake", "avx2", 48, 1280, 3072, "avxvnni"},
    {"raptorlake", "avx2", 48, 2048, 3072, "avxvnni"},
    {"meteorlake", "avx2", 48, 2048, 3072, "avxvnni"},
    {"arrowlake", "avx2", 48, 3072, 3072, "avxvnni"},
    {"arrowlake-s", "avx2", 48, 3072, 3072, "avxvnni"},
    {"lunarlake", "avx2", 48, 2560, 3072, "avxvnni"},
    {"gracemont", "avx2", 32, 512, 1536, "avxvnni"},
    {"sierraforest", "avx2", 32, 1024, 768, "avxvnni"},
    {"znver1", "avx2", 32, 512, 2048},
    {"znver2", "avx2", 32, 512, 4096},
    {"znver3", "avx2", 32, 512, 4096},
    {"x86-64-v4", "avx512", 32, 1024, 1408},
    {"skylake-avx512", "avx512", 32, 1024, 1408},
    {"cascadelake", "avx512", 32, 1024, 1408, "avx512vnni"},
    {"cooperlake", "avx512", 32, 1024, 1408, "avx512vnni avx512bf16", 2},
    {"cannonlake", "avx512", 32, 256, 2048},
    {"icelake-client", "avx512", 48, 512, 2048, "avx512vnni"},
    {"icelake-server", "avx512", 48, 1280, 1536, "avx512vnni"},
    {"rocketlake", "avx512", 48, 512, 2048, "avx512vnni"},
    {"tigerlake", "avx512", 48, 1280, 3072, "avx512vnni"},
    {"sapphirerapids", "avx512", 48, 2048, 1920, "avx512vnni avx512bf16 amx-int8 amx-bf16", 2, 32, true},
    {"emeraldrapids", "avx512", 48, 2048, 5120, "avx512vnni avx512bf16 amx-int8 amx-bf16", 2, 32, true},
    {"graniterapids", "avx512", 48, 2048, 3584, "avx512vnni avx512bf16 amx-int8 amx-bf16", 2, 32, true},
    {"znver4", "avx512", 32, 1024, 4096, "avx512vnni avx512bf16", 1, 3.2},
    {"znver5", "avx512", 48, 1024, 4096, "avx512vnni avx512bf16"},
    {"generic", "neon", 32, 256, 512},
    {"cortex-a53", "neon", 32, 128, 128},
    {"cortex-a55", "neon", 32, 128, 512, "dotprod"},
    {"cortex-a57", "neon", 32, 512, 512},
    {"cortex-a72", "neon", 32, 256, 256},
    {"cortex-a73", "neon", 32, 256, 256},
    {"cortex-a76", "neon", 64, 512, 512, "dotprod"},
    {"cortex-a78", "neon", 64, 512, 1024, "dotprod"},
    {"neoverse-n1", "neon", 64, 1024, 1024, "dotprod"},
    {"neoverse-v1", "neon", 64, 1024, 1024, "i8mm bf16"},
    {"neoverse-n2", "neon", 64, 1024, 1024, "i8mm bf16"},
    {"neoverse-v2", "neon", 64, 1024, 1536, "i8mm bf16"},
    {"apple-m1", "neon", 128, 3072, 3072, "dotprod"},
    {"cortex-a5", "neon32", 32, 256, 256},
    {"cortex-a7", "neon32", 32, 128, 128},
    {"cortex-a8", "neon32_nofma", 32, 256, 256},
    {"cortex-a9", "neon32_nofma", 32, 256, 256},
    {"cortex-a15", "neon32", 32, 512, 512},
    {"cortex-a17", "neon32", 32, 256, 256},
    // 64-bit cores under a 32-bit system.
    {"cortex-a53", "neon32", 32, 128, 128},
    {"cortex-a55", "neon32", 32, 128, 512},
    {"cortex-a57", "neon32", 32, 512, 512},
    {"cortex-a72", "neon32", 32, 256, 256},
    {"cortex-a73", "neon32", 32, 256, 256},
    {"generic-rv64", "riscv64", 32, 256, 256},
    {"sifive-u74", "riscv64", 32, 512, 512},
};

struct TriplePrefix {
  std::string_view prefix, architecture;
};

// The first row whose prefix fits is taken.
constexpr TriplePrefix kTriples[] = {
    {"x86_64", "x86_64"}, {"amd64", "x86_64"},    {"i386", "x86_64"}, {"i686", "x86_64"}, {"aarch64", "aarch64"},
    {"arm64", "aarch64"}, {"riscv64", "riscv64"}, {"arm", "arm"},     {"", "plain"},
};

using Features = std::set<std::string, std::less<>>;

// The names in a list with blanks.
std::vector<std::string_view> NamesIn(std::string_view list) {
  std::vector<std::string_view> names = Split(list, ' ');
  std::erase(names, std::string_view());
  return names;
}

// Adds a feature and everything that it needs.
void Add(std::string_view name, Features& has) {
  if (!has.emplace(name).second) return;
  for (const CpuFeature& feature : CpuFeatureTable()) {
    if (feature.name != name) continue;
    for (const std::string_view needed : NamesIn(feature.needs)) Add(needed, has);
  }
}

// Removes a feature and everything that needs it.
void Remove(std::string_view name, Features& has) {
  const auto held = has.find(name);
  if (held == has.end()) return;
  has.erase(held);
  for (const CpuFeature& feature : CpuFeatureTable()) {
    const std::vector<std::string_view> needs = NamesIn(feature.needs);
    if (std::find(needs.begin(), needs.end(), name) != needs.end()) Remove(feature.name, has);
  }
}

// As in LLVM, removal wins whatever the order.
Features FeaturesOfTarget(const Target& target, const std::vector<std::string>& of_cpu) {
  Features has;
  for (const std::string& feature : of_cpu) Add(feature, has);
  for (const char sign : {'+', '-'}) {
    for (const std::string& feature : target.features) {
      if (feature.empty() || feature[0] != sign) continue;
      const std::string_view name = std::string_view(feature).substr(1);
      sign == '+' ? Add(name, has) : Remove(name, has);
    }
  }
  return has;
}

std::string_view ArchitectureOfTriple(std::string_view triple) {
  return std::find_if(std::begin(kTriples), std::end(kTriples),
                      [&](const TriplePrefix& t) { return triple.substr(0, t.prefix.size()) == t.prefix; })
      ->architecture;
}

const MachineRow* FindRow(const std::vector<MachineRow>& rows, std::string_view name) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const MachineRow& r) { return r.model.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

// Null if the CPU is not in the table or is of another architecture.
const CpuRow* FindCpu(const std::vector<MachineRow>& rows, const Target& target) {
  for (const CpuRow& cpu : kCpus) {
    if (cpu.cpu != target.cpu) continue;
    const MachineRow* row = FindRow(rows, cpu.row);
    if (row != nullptr && row->architecture == ArchitectureOfTriple(target.triple)) return &cpu;
  }
  return nullptr;
}

MachineModel BestOf(const std::vector<MachineRow>& rows, std::string_view architecture, const Features& has) {
  const MachineModel* best = nullptr;
  for (const MachineRow& row : rows) {
    if (row.architecture != architecture) continue;
    const auto& needs = row.model.required_features;
    const bool fits = std::all_of(needs.begin(), needs.end(), [&](std::string_view f) { return has.count(f) > 0; });
    if (best == nullptr || fits) best = &row.model;
  }
  return *best;
}

// Gives the model the instructions of one feature.
void AddInstructions(const CpuFeature& feature, MachineModel& model) {
  // The emitted code finishes a tile's row of sums as one vector.
  constexpr int kRowOfSums = 16;
  constexpr int kFloatBits = 32;
  const auto add_dots = [&](ByteDots dots) {
    if (!model.byte_dots_feature.empty()) return;
    model.byte_dots = dots;
    model.byte_dots_feature = feature.name;
    model.adds_pairs = feature.role == FeatureRole::kVnni;
  };
  switch (feature.role) {
    case FeatureRole::kOther:
      return;
    case FeatureRole::kVnni:
    case FeatureRole::kMixedDots:
      return add_dots(ByteDots::kMixedFours);
    case FeatureRole::kSignedDots:
      return add_dots(ByteDots::kSignedFours);
    case FeatureRole::kBFloatDots:
      if (model.bfloat_dots_feature.empty()) model.bfloat_dots_feature = feature.name;
      return;
    case FeatureRole::kHalfLoads:
      if (model.vector_lanes > 4) model.half_loads_feature = feature.name;
      return;
    case FeatureRole::kByteTiles:
      model.byte_tiles = model.vector_lanes == kRowOfSums;
      return;
    case FeatureRole::kBFloatTiles:
      model.bfloat16_tiles = model.vector_lanes == kRowOfSums;
      return;
    case FeatureRole::kLongVectors:
      if (!model.scalable_vectors) return;
      // On shorter registers such code would compute half of each vector without an error.
      model.vector_lanes = feature.bit / kFloatBits;
      model.required_features.emplace_back(feature.name);
  }
}

std::string TripleOf(std::string_view architecture) {
  if (architecture == "x86_64") return "x86_64-pc-linux-gnu";
  return architecture == "arm" ? "armv7-unknown-linux-gnueabihf" : std::string(architecture) + "-unknown-linux-gnu";
}

}  // namespace

bool HasFigures(const Target& target) { return FindCpu(MachineRows(), target) != nullptr; }

MachineModel ModelAmong(const std::vector<MachineRow>& rows, const Target& target) {
  const CpuRow* cpu = FindCpu(rows, target);
  std::vector<std::string> of_cpu;
  if (cpu != nullptr) {
    of_cpu = FindRow(rows, cpu->row)->model.required_features;
    // All CPUs of the table with AVX2 have it, too.
    if (std::find(of_cpu.begin(), of_cpu.end(), "avx2") != of_cpu.end()) of_cpu.emplace_back("f16c");
    for (const std::string_view feature : NamesIn(cpu->features)) of_cpu.emplace_back(feature);
  }
  const Features has = FeaturesOfTarget(target, of_cpu);
  const std::string_view architecture = ArchitectureOfTriple(target.triple);
  MachineModel model = BestOf(rows, architecture, has);
  for (const CpuFeature& feature : CpuFeatureTable()) {
    if (feature.architecture == architecture && has.count(feature.name) > 0) AddInstructions(feature, model);
  }
  SetCosts(model.name, model);
  if (cpu == nullptr) return model;
  // A core's times hold only for its own instruction set.
  if (model.name == cpu->row) SetCosts(cpu->cpu, model);
  model.bfloat_dot_cost = cpu->bfloat_cost;
  model.division_cost = cpu->division_cost;
  model.l1_bytes = cpu->l1_kib << 10;
  model.l2_bytes = cpu->l2_kib << 10;
  model.l3_bytes = cpu->l3_kib << 10;
  return model;
}

bool HasFastGathers(std::string_view cpu) {
  return std::any_of(std::begin(kCpus), std::end(kCpus),
                     [&](const CpuRow& row) { return row.cpu == cpu && row.gathers; });
}

MachineModel MachineModelFor(const Target& target, int threads) {
  MachineModel model = ModelAmong(MachineRows(), target);
  model.threads = threads;
  return model;
}

// A core that runs two architectures is listed under the one that comes first.
std::vector<Target> KnownTargets() {
  std::vector<Target> targets;
  for (const CpuRow& cpu : kCpus) {
    const std::string_view architecture = FindRow(MachineRows(), cpu.row)->architecture;
    const bool listed = std::any_of(targets.begin(), targets.end(), [&](const Target& t) { return t.cpu == cpu.cpu; });
    if (!listed) targets.push_back({TripleOf(architecture), std::string(cpu.cpu), {}, 0});
  }
  return targets;
}

}  // namespace hone

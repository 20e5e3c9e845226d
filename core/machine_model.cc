#include <algorithm>
#include <array>
#include <string_view>

#include "core/target.h"

namespace hone {
namespace {

enum class Row { kSse4, kAvx2, kAvx512, kNeon, kRiscv, kRvv, kArm, kPlain };

struct CpuRow {
  std::string_view cpu;
  Row row;
  int64_t l1_kib, l2_kib, l3_kib;  // of one core; what a cluster shares is divided by its cores
};

// What the makers' manuals say of each core. Where there is no third level, its column repeats the second.
constexpr std::array<CpuRow, 42> kCpus = {{
    {"x86-64", Row::kSse4, 32, 256, 1024},
    {"x86-64-v2", Row::kSse4, 32, 256, 1024},
    {"nehalem", Row::kSse4, 32, 256, 2048},
    {"sandybridge", Row::kSse4, 32, 256, 2048},
    {"ivybridge", Row::kSse4, 32, 256, 2048},
    {"x86-64-v3", Row::kAvx2, 32, 256, 1024},
    {"haswell", Row::kAvx2, 32, 256, 2048},
    {"broadwell", Row::kAvx2, 32, 256, 2048},
    {"skylake", Row::kAvx2, 32, 256, 2048},
    {"alderlake", Row::kAvx2, 48, 1280, 3072},
    {"raptorlake", Row::kAvx2, 48, 2048, 3072},
    {"znver1", Row::kAvx2, 32, 512, 2048},
    {"znver2", Row::kAvx2, 32, 512, 4096},
    {"znver3", Row::kAvx2, 32, 512, 4096},
    {"x86-64-v4", Row::kAvx512, 32, 1024, 1408},
    {"skylake-avx512", Row::kAvx512, 32, 1024, 1408},
    {"cascadelake", Row::kAvx512, 32, 1024, 1408},
    {"cooperlake", Row::kAvx512, 32, 1024, 1408},
    {"cannonlake", Row::kAvx512, 32, 256, 2048},
    {"icelake-client", Row::kAvx512, 48, 512, 2048},
    {"icelake-server", Row::kAvx512, 48, 1280, 1536},
    {"rocketlake", Row::kAvx512, 48, 512, 2048},
    {"tigerlake", Row::kAvx512, 48, 1280, 3072},
    {"sapphirerapids", Row::kAvx512, 48, 2048, 1920},
    {"emeraldrapids", Row::kAvx512, 48, 2048, 5120},
    {"graniterapids", Row::kAvx512, 48, 2048, 3584},
    {"znver4", Row::kAvx512, 32, 1024, 4096},
    {"znver5", Row::kAvx512, 48, 1024, 4096},
    {"generic", Row::kNeon, 32, 256, 512},
    {"cortex-a53", Row::kNeon, 32, 128, 128},
    {"cortex-a55", Row::kNeon, 32, 128, 512},
    {"cortex-a57", Row::kNeon, 32, 512, 512},
    {"cortex-a72", Row::kNeon, 32, 256, 256},
    {"cortex-a73", Row::kNeon, 32, 256, 256},
    {"cortex-a76", Row::kNeon, 64, 512, 512},
    {"cortex-a78", Row::kNeon, 64, 512, 1024},
    {"neoverse-n1", Row::kNeon, 64, 1024, 1024},
    {"neoverse-v1", Row::kNeon, 64, 1024, 1024},
    {"neoverse-n2", Row::kNeon, 64, 1024, 1024},
    {"apple-m1", Row::kNeon, 128, 3072, 3072},
    {"generic-rv64", Row::kRiscv, 32, 256, 256},
    {"sifive-u74", Row::kRiscv, 32, 512, 512},
}};

MachineModel ModelOf(Row row) {
  switch (row) {
    case Row::kAvx2:
      return {"avx2", 8, 16, true, false, 32 << 10, 256 << 10, 1 << 20, {"avx2", "fma"}};
    case Row::kAvx512:
      return {"avx512", 16,         32,
              true,     true,       32 << 10,
              1 << 20,  1408 << 10, {"avx2", "avx512bw", "avx512dq", "avx512f", "avx512vl", "fma"}};
    case Row::kNeon:
      return {"neon", 4, 32, true, true, 32 << 10, 256 << 10, 512 << 10, {"neon"}};
    case Row::kRiscv:
      // Four scalar registers stand for a vector.
      return {"riscv64", 4, 8, true, true, 32 << 10, 256 << 10, 256 << 10, {}};
    case Row::kRvv:
      return {"rvv", 4, 32, true, true, 32 << 10, 256 << 10, 256 << 10, {"v"}};
    case Row::kArm:
      return {"arm", 4, 16, false, false, 32 << 10, 128 << 10, 128 << 10, {}};
    case Row::kSse4:
      return {"sse4", 4, 16, false, false, 32 << 10, 256 << 10, 1 << 20, {}};
    case Row::kPlain:
      break;
  }
  return {"plain", 4, 16, false, false, 32 << 10, 128 << 10, 128 << 10, {}};
}

bool StartsWith(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

// The most modest row of the triple's architecture.
Row ModestRow(std::string_view triple) {
  if (StartsWith(triple, "x86_64") || StartsWith(triple, "amd64") || StartsWith(triple, "i386") ||
      StartsWith(triple, "i686")) {
    return Row::kSse4;
  }
  if (StartsWith(triple, "aarch64") || StartsWith(triple, "arm64")) return Row::kNeon;
  if (StartsWith(triple, "riscv64")) return Row::kRiscv;
  return StartsWith(triple, "arm") ? Row::kArm : Row::kPlain;
}

bool IsX86(Row row) { return row == Row::kSse4 || row == Row::kAvx2 || row == Row::kAvx512; }
bool SameArchitecture(Row a, Row b) { return a == b || (IsX86(a) && IsX86(b)); }

const CpuRow* FindCpu(const Target& target, Row modest) {
  for (const CpuRow& row : kCpus) {
    if (row.cpu == target.cpu && SameArchitecture(row.row, modest)) return &row;
  }
  return nullptr;
}

struct X86Features {
  bool avx2, fma, avx512;
};

// As LLVM reads them: a feature brings what it needs, and taking one away takes what needs it.
void ApplyFeature(std::string_view feature, X86Features& has) {
  const std::string_view name = feature.substr(1);
  const bool on = feature[0] == '+';
  if (on && name == "avx512f") has = {true, true, true};
  if (on && name == "avx2") has.avx2 = true;
  if (on && name == "fma") has.fma = true;
  if (on) return;
  if (name == "avx512f" || name == "avx512vl" || name == "avx512bw" || name == "avx512dq") has.avx512 = false;
  if (name == "fma") has.fma = has.avx512 = false;
  if (name == "avx2") has.avx2 = has.avx512 = false;
  if (name == "avx" || StartsWith(name, "sse") || name == "ssse3") has = {false, false, false};
}

// LLVM lets taking away win, whatever the order.
X86Features FeaturesOf(const Target& target, Row row) {
  X86Features has{row != Row::kSse4, row != Row::kSse4, row == Row::kAvx512};
  for (const char sign : {'+', '-'}) {
    for (const std::string& feature : target.features) {
      if (!feature.empty() && feature[0] == sign) ApplyFeature(feature, has);
    }
  }
  return has;
}

MachineModel X86Model(const Target& target, Row row) {
  const X86Features has = FeaturesOf(target, row);
  if (has.avx512) return ModelOf(Row::kAvx512);
  if (!has.avx2) return ModelOf(Row::kSse4);
  MachineModel model = ModelOf(Row::kAvx2);
  if (!has.fma) {
    model.has_fma = false;
    model.required_features = {"avx2"};
  }
  return model;
}

// With the vector extension lanes follow from the least register length that the features promise: 128 bits with V
// alone.
MachineModel RiscvModel(const Target& target) {
  const auto has = [&](std::string_view feature) {
    return std::find(target.features.begin(), target.features.end(), feature) != target.features.end();
  };
  if (!has("+v")) return ModelOf(Row::kRiscv);
  MachineModel model = ModelOf(Row::kRvv);
  if (has("+zvl256b")) model.vector_lanes = 8;
  if (has("+zvl512b")) model.vector_lanes = 16;
  return model;
}

}  // namespace

MachineModel MachineModelFor(const Target& target, int threads) {
  const Row modest = ModestRow(target.triple);
  const CpuRow* cpu = FindCpu(target, modest);
  const Row row = cpu != nullptr ? cpu->row : modest;
  MachineModel model = IsX86(row) ? X86Model(target, row) : row == Row::kRiscv ? RiscvModel(target) : ModelOf(row);
  if (cpu != nullptr) {
    model.l1_bytes = cpu->l1_kib << 10;
    model.l2_bytes = cpu->l2_kib << 10;
    model.l3_bytes = cpu->l3_kib << 10;
  }
  model.threads = threads;
  return model;
}

std::vector<Target> KnownTargets() {
  std::vector<Target> targets;
  for (const CpuRow& row : kCpus) {
    const char* triple = IsX86(row.row)           ? "x86_64-pc-linux-gnu"
                         : row.row == Row::kRiscv ? "riscv64-unknown-linux-gnu"
                                                  : "aarch64-unknown-linux-gnu";
    targets.push_back({triple, std::string(row.cpu), {}, 0});
  }
  return targets;
}

}  // namespace hone

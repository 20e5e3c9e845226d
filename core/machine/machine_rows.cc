#include "core/machine/machine_rows.h"

#include <algorithm>

namespace hone {

const std::vector<MachineRow>& MachineRows() {
  constexpr int64_t kKiB = 1 << 10, kMiB = 1 << 20;
  static const std::vector<MachineRow> rows{
      {"x86_64",
       {.name = "sse4",
        .has_fma = false,
        .broadcast = Broadcast::kShuffled,
        .byte_dots = ByteDots::kPairs,
        .l1_bytes = 32 * kKiB,
        .l2_bytes = 256 * kKiB,
        .l3_bytes = 1 * kMiB}},
      {"x86_64",
       {.name = "avx2_nofma",
        .vector_lanes = 8,
        .has_fma = false,
        .has_rounding = true,
        .byte_dots = ByteDots::kPairs,
        .l1_bytes = 32 * kKiB,
        .l2_bytes = 256 * kKiB,
        .l3_bytes = 1 * kMiB,
        .required_features = {"avx2"}}},
      {"x86_64",
       {.name = "avx2",
        .vector_lanes = 8,
        .has_rounding = true,
        .byte_dots = ByteDots::kPairs,
        .l1_bytes = 32 * kKiB,
        .l2_bytes = 256 * kKiB,
        .l3_bytes = 1 * kMiB,
        .required_features = {"avx2", "fma"}}},
      {"x86_64",
       {.name = "avx512",
        .vector_lanes = 16,
        .vector_registers = 32,
        .has_rounding = true,
        .width_on_request = true,
        .broadcast = Broadcast::kMemory,
        .byte_dots = ByteDots::kPairs,
        .l1_bytes = 32 * kKiB,
        .l2_bytes = 1 * kMiB,
        .l3_bytes = 1408 * kKiB,
        .required_features = {"avx2", "avx512bw", "avx512dq", "avx512f", "avx512vl", "fma"}}},
      {"aarch64",
       {.name = "neon",
        .vector_registers = 32,
        .has_rounding = true,
        .broadcast = Broadcast::kLane,
        .half_loads_feature = "neon",
        .l1_bytes = 32 * kKiB,
        .l2_bytes = 256 * kKiB,
        .l3_bytes = 512 * kKiB,
        .required_features = {"neon"}}},
      // Four scalar registers stand for a vector.
      {"riscv64",
       {.name = "riscv64",
        .vector_registers = 8,
        .broadcast = Broadcast::kScalar,
        .l1_bytes = 32 * kKiB,
        .l2_bytes = 256 * kKiB,
        .l3_bytes = 256 * kKiB}},
      {"riscv64",
       {.name = "rvv",
        .scalable_vectors = true,
        .vector_registers = 32,
        .broadcast = Broadcast::kScalar,
        .l1_bytes = 32 * kKiB,
        .l2_bytes = 256 * kKiB,
        .l3_bytes = 256 * kKiB,
        .required_features = {"v"}}},
      // Two of the sixteen registers hold the operands that a multiply-add loads. 64-bit indices take two general
      // registers.
      {"arm",
       {.name = "neon32_nofma",
        .vector_registers = 14,
        .address_registers = 5,
        .has_fma = false,
        .l1_bytes = 32 * kKiB,
        .l2_bytes = 128 * kKiB,
        .l3_bytes = 128 * kKiB,
        .required_features = {"neon"}}},
      {"arm",
       {.name = "neon32",
        .vector_registers = 14,
        .address_registers = 5,
        .l1_bytes = 32 * kKiB,
        .l2_bytes = 128 * kKiB,
        .l3_bytes = 128 * kKiB,
        .required_features = {"neon", "vfp4"}}},
      {"plain",
       {.name = "plain", .has_fma = false, .l1_bytes = 32 * kKiB, .l2_bytes = 128 * kKiB, .l3_bytes = 128 * kKiB}},
  };
  return rows;
}

namespace {

// Rates of one core with its board's memory. They are published nowhere, so they are assumed for each kind of board.
struct Memory {
  double l2, l3, memory, cold, shared;  // as LevelRates and MachineModel have them, in bytes per cycle
};
// Measured on a Granite Rapids guest at 3.4 GHz: 512 bits from the second level, 24 to 27 GB/s from 16 to 64 MB, and 12
// GB/s from 128 MB on. Weights were between the two.
constexpr Memory kRapids{32, 8, 4, 5.4, 9};
// Measured on a Zen 4 guest at 3.7 GHz with a second level of 1 MB.
constexpr Memory kGenoa{32, 20, 9, 9, 10};
// Measured on a Zen 3 guest at 3.0 GHz, in GB/s: 90 up to 384 KB, 50 to 70 up to 8 MB, 12 to 14 from 48 MB on.
constexpr Memory kMilan{32, 20, 4.3, 4.8, 9.5};
constexpr Memory kLittle{4, 2, 1.5, 1.5, 2}, kMiddle{8, 4, 3, 3, 4}, kBig{16, 8, 4, 5, 7}, kServer{24, 12, 6, 8, 10};

struct CpuCosts {
  std::string_view name;  // a CPU, or a row of MachineRows for all its other CPUs
  double clock_ghz, multiply_adds, latency, loads;
  Memory memory;
  std::string_view source;  // for multiply_adds, latency and loads; clocks are a board's
};

// A multiply-add is that of one vector (on RISC-V without V, four scalar ones). Latency is measured from accumulator
// to accumulator.
constexpr CpuCosts kCosts[] = {
    {"znver4", 3.7, 1, 4, 1, kGenoa, "measured: 512 bits are two passes of 256"},
    {"znver3", 3, 2, 4, 2, kMilan, "measured: 96 GFLOP/s"},
    {"sapphirerapids", 3.4, 2, 4, 2, kRapids, "measured on a Granite Rapids guest"},
    {"emeraldrapids", 3.4, 2, 4, 2, kRapids, "as sapphirerapids"},
    {"graniterapids", 3.4, 2, 4, 2, kRapids, "as sapphirerapids"},
    {"cortex-a53", 1.4, 1, 4, 0.5, kLittle,
     "LLVM's AArch64SchedA53.td: one pipe; ncnn's arm-a53-a55-dual-issue.md: loads"},
    {"cortex-a55", 1.8, 1, 4, 0.5, kLittle,
     "LLVM's AArch64SchedA55.td: two pipes of 64 bits, loads of 64 bits; ncnn's arm-a53-a55-dual-issue.md"},
    {"cortex-a57", 1.4, 1, 4, 1, kMiddle, "LLVM's AArch64SchedA57.td"},
    {"cortex-a72", 1.5, 1, 3, 1, kMiddle, "Arm UAN 0016A, Cortex-A72 Software Optimization Guide"},
    {"cortex-a73", 1.8, 1, 4, 2, kMiddle, "assumed"},
    {"cortex-a76", 2.4, 2, 4, 2, kBig, "as neoverse-n1, which is made of it"},
    {"cortex-a78", 2.4, 2, 4, 3, kBig, "assumed: as neoverse-n2"},
    {"neoverse-n1", 2.5, 2, 4, 2, kServer, "LLVM's AArch64SchedNeoverseN1.td"},
    {"neoverse-v1", 2.6, 4, 4, 3, kServer, "LLVM's AArch64SchedNeoverseV1.td"},
    {"neoverse-n2", 2.75, 2, 4, 3, kServer, "LLVM's AArch64SchedNeoverseN2.td"},
    {"neoverse-v2", 2.8, 4, 2, 3, kServer, "LLVM's AArch64SchedNeoverseV2.td"},
    {"apple-m1", 3.2, 4, 4, 3, kServer, "assumed"},
    {"cortex-a5", 0.6, 0.25, 8, 0.5, kLittle, "assumed"},
    {"cortex-a7", 0.9, 0.25, 8, 0.5, kLittle, "assumed"},
    {"cortex-a8", 1, 0.25, 9, 1, kLittle, "assumed: a product and a sum of two cycles each"},
    {"cortex-a9", 1, 0.25, 9, 0.5, kLittle, "assumed: a product and a sum of two cycles each"},
    {"cortex-a15", 2, 1, 4, 1, kMiddle, "assumed"},
    {"cortex-a17", 1.8, 1, 4, 1, kMiddle, "assumed"},
    {"neon", 2.4, 2, 4, 2, kBig, "assumed: as cortex-a76"},
    {"neon32", 0.9, 0.25, 8, 0.5, kLittle, "assumed: as cortex-a7"},
    {"neon32_nofma", 1, 0.25, 9, 1, kLittle, "assumed: as cortex-a8"},
    {"riscv64", 1.5, 0.25, 5, 0.25, kLittle, "assumed: as sifive-u74"},
    {"rvv", 1.6, 1, 5, 1, kLittle, "assumed: one pipe as wide as the registers"},
    {"sifive-u74", 1.5, 0.25, 5, 0.25, kLittle, "LLVM's RISCVSchedSiFive7.td"},
};

const CpuCosts* FindCosts(std::string_view name) {
  const auto* costs =
      std::find_if(std::begin(kCosts), std::end(kCosts), [&](const CpuCosts& each) { return each.name == name; });
  return costs == std::end(kCosts) ? nullptr : costs;
}

void Set(const CpuCosts& costs, MachineModel& model) {
  // For vectors of 512 bits the default is half the rate of two loads, and was fitted.
  const double l1 = model.vector_lanes > 4 ? LevelRates().l1 : 16 * costs.loads;
  model.clock_ghz = costs.clock_ghz;
  model.multiply_adds_per_cycle = costs.multiply_adds;
  model.multiply_add_latency = costs.latency;
  model.loads_per_cycle = costs.loads;
  model.moved_bytes_per_cycle = {l1, costs.memory.l2, costs.memory.l3, costs.memory.memory};
  model.cold_bytes_per_cycle = costs.memory.cold;
  model.shared_bytes_per_cycle = costs.memory.shared;
}

}  // namespace

bool SetCosts(std::string_view name, MachineModel& model) {
  const CpuCosts* costs = FindCosts(name);
  if (costs != nullptr) Set(*costs, model);
  return costs != nullptr;
}

std::string_view CostsFrom(std::string_view name) {
  const CpuCosts* costs = FindCosts(name);
  return costs == nullptr ? "" : costs->source;
}

}  // namespace hone

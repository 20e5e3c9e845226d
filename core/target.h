// What a kernel is compiled for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// A machine in LLVM's words. `cpu` is never "native": it is resolved when the target is made.
struct Target {
  std::string triple;                 // "x86_64-pc-linux-gnu"
  std::string cpu;                    // "znver3", "cortex-a72", "x86-64-v3"
  std::vector<std::string> features;  // explicit "+avx2", "-avx512f", sorted; on top of what cpu implies
  int num_cores = 0;                  // 0: not known

  // TVM-like text: "llvm -mtriple=... -mcpu=... -mattr=+a,+b -num-cores=4"; fields that are empty are left out.
  std::string ToText() const;
  // Accepts what ToText prints, with the fields in any order. "host" is not resolved here: see compiler/codegen/host.h,
  // and -mcpu=native is refused.
  // Throws Error(kUsage) on anything else, naming the field.
  static Target Parse(std::string_view text);

  bool operator==(const Target&) const = default;
};

// The figures that schedules plan with, one row per kind of CPU. Sizes in bytes, lanes in float32.
struct MachineModel {
  std::string name;      // the row's name, e.g. "avx512"
  int vector_lanes = 4;  // float32 lanes of one vector register
  int vector_registers = 16;
  bool has_fma = true;
  bool broadcast_operand = false;  // an FMA can broadcast a scalar from memory (AVX-512) or from a lane (NEON)
  int64_t l1_bytes = 32 << 10;     // data cache of one core
  int64_t l2_bytes = 512 << 10;
  int64_t l3_bytes = 16 << 20;                 // the share one core can count on
  std::vector<std::string> required_features;  // what a machine needs to run such code, in LLVM's names ("avx2", "fma")
  int threads = 1;                             // workers that share a kernel's items

  bool operator==(const MachineModel&) const = default;
};

// The row for a target: by cpu name first, then by features, then by architecture. Never fails: an unknown CPU gets its
// architecture's most modest row.
MachineModel MachineModelFor(const Target& target, int threads = 1);

// The CPUs that the table of rows names, as targets with triple and cpu, in the table's order.
std::vector<Target> KnownTargets();

}  // namespace hone

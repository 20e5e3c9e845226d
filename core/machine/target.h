// The machine that a kernel is compiled for.
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
  // Accepts the output of ToText with the fields in any order. Throws Error(kUsage) on anything else, naming the
  // field. "host" is not resolved here (see compiler/codegen/target/host.h), and -mcpu=native is refused.
  static Target Parse(std::string_view text);

  bool operator==(const Target&) const = default;
};

// The source from which a multiply-add gets the scalar that all its lanes share.
enum class Broadcast : uint8_t {
  kShuffled,  // a register filled by a load and a shuffle, which take the place of arithmetic (SSE)
  kLoaded,    // a register filled by one load (AVX)
  kMemory,    // its own operand in memory (AVX-512)
  kLane,      // a lane of a register (NEON): scalars loaded together are held until the last of them is used
  kScalar,    // a scalar register (RISC-V)
};

// A machine's way to sum products of bytes, uint8 times int8, exactly in int32.
enum class ByteDots : uint8_t {
  kWidened,      // each product separately, of operands widened to 16 bits
  kPairs,        // two neighbours, widened to 16 bits, times two in one instruction, then a sum (SSE2 and AVX2)
  kMixedFours,   // four unsigned neighbours times four signed ones onto one sum, in one instruction (VNNI, usdot)
  kSignedFours,  // such an instruction for signed bytes alone (sdot)
};

// Bytes per cycle that one core moves in passes over data that fit a cache level.
struct LevelRates {
  double l1 = 64;
  double l2 = 32;
  double l3 = 12;
  double memory = 6;

  bool operator==(const LevelRates&) const = default;
};

// The figures that schedules plan and emit with, one row per kind of CPU. Sizes are in bytes, lanes in float32, times
// in cycles of clock_ghz. A row has these defaults where it sets no others; rates and cycles were fitted on a Zen 5
// core.
struct MachineModel {
  std::string name;  // the row's name, e.g. "avx512": for people, no decision depends on it

  // Lanes that kernels are emitted for: those of one vector register if its length is fixed.
  int vector_lanes = 4;
  // The registers' length is the machine's own (Arm SVE, RISC-V V). vector_lanes is then the least that every machine
  // of the target has. Kernels and layouts use that many lanes, on longer registers too.
  bool scalable_vectors = false;
  int vector_registers = 16;
  int address_registers = 11;     // pointers that stay in general registers throughout an inner loop
  bool has_fma = true;            // a product and a sum are one instruction
  bool has_rounding = false;      // one instruction rounds a vector to integers, ties to even
  bool width_on_request = false;  // code generation uses half of a register's lanes unless asked for all
  Broadcast broadcast = Broadcast::kLoaded;
  ByteDots byte_dots = ByteDots::kWidened;
  std::string byte_dots_feature = {};  // of an instruction for fours: kernels of bytes require it
  bool adds_pairs = false;             // one instruction adds both products of two pairs of int16 to an int32 (VNNI)
  // The feature that multiplies pairs of bfloat16 and adds both products to a float32 in one instruction. If it is
  // empty, each operand is widened.
  std::string bfloat_dots_feature = {};
  // The feature that widens a vector of float16 to float32 in one instruction; empty if there is none.
  std::string half_loads_feature = {};
  double bfloat_dot_cost = 1;   // the time of such an instruction, in multiply-adds of float32
  bool byte_tiles = false;      // registers of 16 rows of 64 bytes, and their products: uint8 times int8 (AMX)
  bool bfloat16_tiles = false;  // the same registers with products of bfloat16

  double clock_ghz = 3.5;
  double multiply_adds_per_cycle = 2;     // of whole vectors
  double multiply_add_latency = 4;        // cycles
  double division_cost = 10;              // time of a division of vectors, in multiply-adds
  double loads_per_cycle = 2;             // of whole vectors
  LevelRates moved_bytes_per_cycle = {};  // rates of data that are used repeatedly
  double cold_bytes_per_cycle = 12;       // rate of one core reading memory once and in order, as weights are
  double shared_bytes_per_cycle = 13.5;   // rate of several cores reading so together

  int64_t line_bytes = 64;      // of every cache
  int64_t l1_bytes = 32 << 10;  // data cache of one core
  int64_t l2_bytes = 512 << 10;
  int64_t l3_bytes = 16 << 20;  // the share one core can count on
  // The features that such code needs, in LLVM's names ("avx2", "fma").
  std::vector<std::string> required_features = {};
  int threads = 1;  // workers that share a kernel's items

  bool operator==(const MachineModel&) const = default;
};

// The row for a target: by cpu name first, then by features, then by architecture. Never fails. An unknown CPU has
// only the features that the target spells out; without any it gets its architecture's most modest row.
MachineModel MachineModelFor(const Target& target, int threads = 1);

// Whether the table of rows names the target's CPU. Its features then need not be spelled out.
bool HasFigures(const Target& target);

// The CPUs that the table of rows names, as targets with triple and cpu, in the table's order.
std::vector<Target> KnownTargets();

}  // namespace hone

// The CPU features that hone knows, one row each. Kernels, targets, packages and runners all take them from here.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace hone {

// The use that kernels make of a feature, in the terms of MachineModel (core/machine/target.h). Several features of one
// architecture may have the same use. The first of them in the table is the best.
enum class FeatureRole : uint8_t {
  kOther,        // none of its own; a row of machines may require the feature
  kVnni,         // byte_dots is kMixedFours, and adds_pairs
  kMixedDots,    // byte_dots is kMixedFours
  kSignedDots,   // byte_dots is kSignedFours
  kBFloatDots,   // bfloat_dots_feature
  kHalfLoads,    // half_loads_feature, for vectors of more than four lanes
  kByteTiles,    // byte_tiles
  kBFloatTiles,  // bfloat16_tiles
  kLongVectors,  // vector_lanes, where the machine has scalable_vectors
};

// The word that holds a feature's bit: of x86's cpuid, by leaf and register, or of Linux's auxiliary vector.
enum class FeatureWord : uint8_t {
  kAlways,  // no bit: every CPU of the architecture has it
  kCpuid1Ecx,
  kCpuid7Ebx,
  kCpuid7Ecx,
  kCpuid7Edx,
  kCpuid7Sub1Eax,
  kCpuid7Sub1Edx,
  kCpuidExtended1Ecx,
  kHwcap,
  kHwcap2,
  kVectorBits,  // RISC-V: `bit` is the least length of a vector register
};

// The registers that an x86 system must save before a program may use the feature.
enum class FeatureRegisters : uint8_t { kBase, kYmm, kZmm, kTiles };

struct CpuFeature {
  std::string_view architecture;  // "x86_64", "aarch64", "arm" or "riscv64"
  std::string_view name;          // LLVM's
  std::string_view linux_name;    // in /proc/cpuinfo; empty if the description of a machine does not list it
  FeatureWord word = FeatureWord::kAlways;
  uint16_t bit = 0;
  bool in_targets = false;  // a target's text spells it out where its CPU's name does not tell
  FeatureRegisters registers = FeatureRegisters::kBase;
  // The features that come with it, separated by blanks. They are LLVM's, except for AVX-512's four, which come
  // together on every CPU.
  std::string_view needs = {};
  FeatureRole role = FeatureRole::kOther;
};

// Every feature once for each architecture that has it.
std::span<const CpuFeature> CpuFeatureTable();

}  // namespace hone

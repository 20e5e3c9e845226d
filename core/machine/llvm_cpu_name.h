// LLVM's name of a CPU, found without LLVM, which the device program does not have.
#pragma once

#include <string>
#include <string_view>

#include "core/machine/fingerprint.h"

namespace hone {

// "x86_64" or "aarch64", by the form of the vendor; empty when that does not tell.
std::string_view ArchitectureOf(const Fingerprint& fingerprint);

// The name for a CPU that runs code of `arch`, as a target's triple begins: "znver3", "cortex-a72". A CPU that the
// table lacks gets the generic name that its features allow: "x86-64-v2" to "x86-64-v4", "generic", "generic-rv64".
// Empty for another architecture.
std::string LlvmCpuName(std::string_view arch, const Fingerprint& fingerprint);

// The name for a CPU that has AMX's tile registers although its model number says `name`. It is Sapphire Rapids, the
// first of them, unless `name` is a later one. Hypervisors show new cores under old model numbers.
std::string_view CpuWithTiles(std::string_view name);

// Whether LLVM's name stands for no single microarchitecture: "generic", "generic-rv64", "x86-64" and its levels,
// empty.
bool IsGenericCpu(std::string_view name);

// Environment.llvm_cpu, or for a record without it the name by its fingerprint. Empty when neither tells.
std::string LlvmCpuOf(const Environment& environment);

}  // namespace hone

// What LLVM calls a CPU, told without LLVM: the device program has none.
#pragma once

#include <string>
#include <string_view>

#include "core/fingerprint.h"

namespace hone {

// "x86_64", "aarch64" by the vendor's way of naming itself; empty when that does not tell.
std::string_view ArchitectureOf(const Fingerprint& fingerprint);

// The name for a CPU that runs code of `arch`, as a target's triple begins: "znver3", "cortex-a72". For a CPU that the
// table lacks, the generic one that its features allow: "x86-64-v2" to "x86-64-v4", "generic", "generic-rv64". Empty
// for another architecture.
std::string LlvmCpuName(std::string_view arch, const Fingerprint& fingerprint);

// The name for a CPU that has AMX's tile registers and that its number calls `name`: Sapphire Rapids, the first of
// them, unless the name is of a later one. Hypervisors show new cores under old numbers.
std::string_view CpuWithTiles(std::string_view name);

// Whether LLVM's name is of no one microarchitecture: "generic", "generic-rv64", "x86-64" and its levels, empty.
bool IsGenericCpu(std::string_view name);

// Environment.llvm_cpu; of a record that has none, by its fingerprint. Empty when neither tells.
std::string LlvmCpuOf(const Environment& environment);

}  // namespace hone

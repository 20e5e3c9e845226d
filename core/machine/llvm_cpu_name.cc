#include "core/machine/llvm_cpu_name.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "core/text/parse_number.h"

namespace hone {
namespace {

// A range of models of a vendor's family.
struct X86Row {
  int family;
  int first, last;
  std::string_view name;
};

// The first row that contains the model wins. A family ends with its default, if it has one.
constexpr X86Row kAmd[] = {
    {23, 0x30, 0x3f, "znver2"}, {23, 0x47, 0x47, "znver2"}, {23, 0x60, 0x7f, "znver2"}, {23, 0x84, 0x87, "znver2"},
    {23, 0x90, 0xaf, "znver2"}, {23, 0x00, 0xff, "znver1"}, {25, 0x10, 0x1f, "znver4"}, {25, 0x60, 0x7f, "znver4"},
    {25, 0xa0, 0xaf, "znver4"}, {25, 0x00, 0xff, "znver3"}, {26, 0x00, 0xff, "znver5"},
};

// LLVM 19 gives Emerald Rapids, model 0xcf, the name of its predecessor.
constexpr X86Row kIntel[] = {
    {6, 0x3c, 0x3c, "haswell"},        {6, 0x3f, 0x3f, "haswell"},        {6, 0x45, 0x46, "haswell"},
    {6, 0x3d, 0x3d, "broadwell"},      {6, 0x47, 0x47, "broadwell"},      {6, 0x4f, 0x4f, "broadwell"},
    {6, 0x56, 0x56, "broadwell"},      {6, 0x4e, 0x4e, "skylake"},        {6, 0x5e, 0x5e, "skylake"},
    {6, 0x8e, 0x8e, "skylake"},        {6, 0x9e, 0x9e, "skylake"},        {6, 0xa5, 0xa6, "skylake"},
    {6, 0x55, 0x55, "skylake-avx512"}, {6, 0x66, 0x66, "cannonlake"},     {6, 0x7d, 0x7e, "icelake-client"},
    {6, 0x6a, 0x6a, "icelake-server"}, {6, 0x6c, 0x6c, "icelake-server"}, {6, 0x8c, 0x8d, "tigerlake"},
    {6, 0xa7, 0xa7, "rocketlake"},     {6, 0x97, 0x97, "alderlake"},      {6, 0x9a, 0x9a, "alderlake"},
    {6, 0xbe, 0xbe, "gracemont"},      {6, 0xb7, 0xb7, "raptorlake"},     {6, 0xba, 0xba, "raptorlake"},
    {6, 0xbf, 0xbf, "raptorlake"},     {6, 0xaa, 0xaa, "meteorlake"},     {6, 0xac, 0xac, "meteorlake"},
    {6, 0xb5, 0xb5, "arrowlake"},      {6, 0xc5, 0xc5, "arrowlake"},      {6, 0xc6, 0xc6, "arrowlake-s"},
    {6, 0xbd, 0xbd, "lunarlake"},      {6, 0xcc, 0xcc, "pantherlake"},    {6, 0x8f, 0x8f, "sapphirerapids"},
    {6, 0xcf, 0xcf, "sapphirerapids"}, {6, 0xad, 0xad, "graniterapids"},  {6, 0xae, 0xae, "graniterapids-d"},
    {6, 0xaf, 0xaf, "sierraforest"},   {6, 0xb6, 0xb6, "grandridge"},     {6, 0xdd, 0xdd, "clearwaterforest"},
};

struct ArmRow {
  std::string_view implementer, part, name;
};

constexpr ArmRow kArm[] = {
    {"0x41", "0xc05", "cortex-a5"},  {"0x41", "0xc07", "cortex-a7"},   {"0x41", "0xc08", "cortex-a8"},
    {"0x41", "0xc09", "cortex-a9"},  {"0x41", "0xc0e", "cortex-a17"},  {"0x41", "0xc0f", "cortex-a15"},
    {"0x41", "0xd03", "cortex-a53"}, {"0x41", "0xd04", "cortex-a35"},  {"0x41", "0xd05", "cortex-a55"},
    {"0x41", "0xd07", "cortex-a57"}, {"0x41", "0xd08", "cortex-a72"},  {"0x41", "0xd09", "cortex-a73"},
    {"0x41", "0xd0a", "cortex-a75"}, {"0x41", "0xd0b", "cortex-a76"},  {"0x41", "0xd0c", "neoverse-n1"},
    {"0x41", "0xd0d", "cortex-a77"}, {"0x41", "0xd40", "neoverse-v1"}, {"0x41", "0xd41", "cortex-a78"},
    {"0x41", "0xd44", "cortex-x1"},  {"0x41", "0xd46", "cortex-a510"}, {"0x41", "0xd47", "cortex-a710"},
    {"0x41", "0xd48", "cortex-x2"},  {"0x41", "0xd49", "neoverse-n2"}, {"0x41", "0xd4d", "cortex-a715"},
    {"0x41", "0xd4e", "cortex-x3"},  {"0x41", "0xd4f", "neoverse-v2"}, {"0x61", "0x022", "apple-m1"},
    {"0x61", "0x023", "apple-m1"},   {"0x61", "0x024", "apple-m1"},    {"0x61", "0x025", "apple-m1"},
    {"0x61", "0x028", "apple-m1"},   {"0x61", "0x029", "apple-m1"},
};

std::string_view FindModel(const Fingerprint& fingerprint) {
  const auto family = ParseInteger(fingerprint.family), model = ParseInteger(fingerprint.model);
  if (!family || !model) return "";
  const auto find = [&](const auto& rows) -> std::string_view {
    for (const X86Row& row : rows) {
      if (row.family == *family && row.first <= *model && *model <= row.last) return row.name;
    }
    return "";
  };
  if (fingerprint.vendor == "AuthenticAMD") return find(kAmd);
  return fingerprint.vendor == "GenuineIntel" ? find(kIntel) : "";
}

std::string_view GenericX86(const Fingerprint& fingerprint) {
  const auto has_all = [&](std::initializer_list<std::string_view> features) {
    return std::all_of(features.begin(), features.end(), [&](std::string_view f) { return fingerprint.Has(f); });
  };
  if (!has_all({"popcnt", "sse4.2", "ssse3"})) return "x86-64";
  if (!has_all({"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"})) return "x86-64-v2";
  return has_all({"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}) ? "x86-64-v4" : "x86-64-v3";
}

std::string_view X86Name(const Fingerprint& fingerprint) {
  const std::string_view name =
      fingerprint.Has("amx-tile") ? CpuWithTiles(FindModel(fingerprint)) : FindModel(fingerprint);
  if (name.empty()) return GenericX86(fingerprint);
  // Three generations share one model number.
  if (name == "skylake-avx512" && fingerprint.Has("avx512bf16")) return "cooperlake";
  return name == "skylake-avx512" && fingerprint.Has("avx512vnni") ? "cascadelake" : name;
}

std::string_view ArmName(const Fingerprint& fingerprint) {
  for (const ArmRow& row : kArm) {
    if (row.implementer == fingerprint.vendor && row.part == fingerprint.model) return row.name;
  }
  return "generic";
}

}  // namespace

std::string_view CpuWithTiles(std::string_view name) {
  for (std::string_view known : {"emeraldrapids", "graniterapids", "graniterapids-d"}) {
    if (name == known) return known;
  }
  return "sapphirerapids";
}

std::string_view ArchitectureOf(const Fingerprint& fingerprint) {
  // An implementer is 0x and two digits.
  if (fingerprint.vendor.starts_with("0x") && fingerprint.vendor.size() == 4) return "aarch64";
  for (std::string_view vendor : {"AuthenticAMD", "GenuineIntel", "HygonGenuine", "CentaurHauls"}) {
    if (fingerprint.vendor == vendor) return "x86_64";
  }
  return "";
}

std::string LlvmCpuName(std::string_view arch, const Fingerprint& fingerprint) {
  if (arch == "x86_64") return std::string(X86Name(fingerprint));
  if (arch == "aarch64" || arch == "armv7") return std::string(ArmName(fingerprint));
  return arch == "riscv64" ? "generic-rv64" : "";
}

bool IsGenericCpu(std::string_view name) {
  return name.empty() || name.starts_with("generic") || name.starts_with("x86-64");
}

std::string LlvmCpuOf(const Environment& environment) {
  if (!environment.llvm_cpu.empty()) return environment.llvm_cpu;
  const Fingerprint fingerprint = FingerprintOf(environment);
  return LlvmCpuName(environment.arch.empty() ? ArchitectureOf(fingerprint) : environment.arch, fingerprint);
}

}  // namespace hone

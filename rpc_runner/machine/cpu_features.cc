#include "rpc_runner/machine/cpu_features.h"

#include <set>

#include "core/text/parse_number.h"
#include "core/text/words.h"

#if defined(__aarch64__)
#include <sys/auxv.h>
#elif defined(__arm__) || defined(__riscv)
#include "runtime/host_cpu.h"
#endif

namespace hone {
namespace {

struct FeatureName {
  std::string_view linux_name;
  std::string_view llvm_name;
};

[[maybe_unused]] constexpr FeatureName kFeatureNames[] = {
    {"pni", "sse3"},
    {"ssse3", "ssse3"},
    {"sse4_1", "sse4.1"},
    {"sse4_2", "sse4.2"},
    {"popcnt", "popcnt"},
    {"movbe", "movbe"},
    {"abm", "lzcnt"},
    {"bmi1", "bmi"},
    {"bmi2", "bmi2"},
    {"avx", "avx"},
    {"avx2", "avx2"},
    {"fma", "fma"},
    {"f16c", "f16c"},
    {"avx_vnni", "avxvnni"},
    {"avx512f", "avx512f"},
    {"avx512bw", "avx512bw"},
    {"avx512cd", "avx512cd"},
    {"avx512dq", "avx512dq"},
    {"avx512vl", "avx512vl"},
    {"avx512_vnni", "avx512vnni"},
    {"avx512_bf16", "avx512bf16"},
    {"avx512_fp16", "avx512fp16"},
    {"avx512vbmi", "avx512vbmi"},
    {"avx512_vbmi2", "avx512vbmi2"},
    {"avx512ifma", "avx512ifma"},
    {"avx512_bitalg", "avx512bitalg"},
    {"avx512_vpopcntdq", "avx512vpopcntdq"},
    {"amx_tile", "amx-tile"},
    {"amx_int8", "amx-int8"},
    {"amx_bf16", "amx-bf16"},
};

std::string Join(const std::set<std::string_view>& names) {
  std::string text;
  for (std::string_view name : names) {
    if (!text.empty()) text += ' ';
    text += name;
  }
  return text;
}

}  // namespace

std::string CpuInfoValue(std::string_view cpuinfo, std::string_view name) {
  for (const std::string_view line : Split(cpuinfo, '\n')) {
    const size_t colon = line.find(':');
    if (colon == line.npos || !line.starts_with(name)) continue;
    if (line.find_first_not_of(" \t", name.size()) != colon) continue;
    const size_t begin = line.find_first_not_of(" \t", colon + 1);
    return std::string(begin == line.npos ? "" : line.substr(begin));
  }
  return "";
}

std::string FeaturesFromFlags(std::string_view flags) {
  std::set<std::string_view> found;
  for (const std::string_view word : Words(flags)) {
    for (const FeatureName& name : kFeatureNames) {
      if (name.linux_name == word) found.insert(name.llvm_name);
    }
  }
  return Join(found);
}

#if defined(__aarch64__)

std::string CpuFeatures(std::string_view) {
  // The bits of AT_HWCAP and AT_HWCAP2, which the kernel's interface fixes.
  struct Bit {
    unsigned long type;
    int bit;
    std::string_view name;
  };
  constexpr Bit kBits[] = {{AT_HWCAP, 1, "neon"},      {AT_HWCAP, 7, "crc"},      {AT_HWCAP, 8, "lse"},
                           {AT_HWCAP, 10, "fullfp16"}, {AT_HWCAP, 20, "dotprod"}, {AT_HWCAP, 22, "sve"},
                           {AT_HWCAP, 23, "fp16fml"},  {AT_HWCAP2, 1, "sve2"},    {AT_HWCAP2, 13, "i8mm"},
                           {AT_HWCAP2, 14, "bf16"},    {AT_HWCAP2, 23, "sme"}};
  std::set<std::string_view> found;
  for (const Bit& bit : kBits) {
    if ((getauxval(bit.type) >> bit.bit) & 1) found.insert(bit.name);
  }
  return Join(found);
}

#elif defined(__arm__)

std::string CpuFeatures(std::string_view) {
  std::set<std::string_view> found;
  for (std::string_view name : {"d32", "hwdiv-arm", "neon", "vfp3", "vfp4"}) {
    if (HostHasFeature(name)) found.insert(name);
  }
  return Join(found);
}

#elif defined(__riscv)

std::string CpuFeatures(std::string_view) {
  std::set<std::string_view> found;
  for (std::string_view name : {"a", "c", "d", "f", "m", "v", "zvl256b", "zvl512b"}) {
    if (HostHasFeature(name)) found.insert(name);
  }
  return Join(found);
}

#else

std::string CpuFeatures(std::string_view cpuinfo) { return FeaturesFromFlags(CpuInfoValue(cpuinfo, "flags")); }

#endif

}  // namespace hone

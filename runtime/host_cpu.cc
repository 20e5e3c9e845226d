#include "runtime/host_cpu.h"

#include <sys/auxv.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <iterator>

#include "runtime/threads/tile_registers.h"

namespace hone {
namespace {

struct FeatureRow {
  std::string_view name;
  bool (*present)();
};

#if defined(__x86_64__)
constexpr std::string_view kArchitecture = "x86_64";
// __builtin_cpu_supports needs its argument as a literal, so each feature is a row of its own.
#define HONE_CPU(llvm_name, gcc_name) {llvm_name, [] { return __builtin_cpu_supports(gcc_name) != 0; }}
constexpr bool (*kAlways)() = [] { return true; };
// A bit of leaf 7's EDX. Compilers older than these CPUs have no name for it.
template <int kBit>
bool HasTiles() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && ((edx >> kBit) & 1) != 0 && MayUseTileRegisters();
}
const FeatureRow kRows[] = {{"sse", kAlways},
                            {"sse2", kAlways},
                            {"64bit", kAlways},
                            {"cmov", kAlways},
                            {"cx8", kAlways},
                            {"fxsr", kAlways},
                            {"mmx", kAlways},
                            {"x87", kAlways},
                            HONE_CPU("sse3", "sse3"),
                            HONE_CPU("ssse3", "ssse3"),
                            HONE_CPU("sse4.1", "sse4.1"),
                            HONE_CPU("sse4.2", "sse4.2"),
                            HONE_CPU("popcnt", "popcnt"),
                            HONE_CPU("avx", "avx"),
                            HONE_CPU("avx2", "avx2"),
                            HONE_CPU("fma", "fma"),
                            HONE_CPU("f16c", "f16c"),
                            HONE_CPU("bmi", "bmi"),
                            HONE_CPU("bmi2", "bmi2"),
                            HONE_CPU("lzcnt", "lzcnt"),
                            HONE_CPU("movbe", "movbe"),
                            HONE_CPU("avx512f", "avx512f"),
                            HONE_CPU("avx512bw", "avx512bw"),
                            HONE_CPU("avx512cd", "avx512cd"),
                            HONE_CPU("avx512dq", "avx512dq"),
                            HONE_CPU("avx512vl", "avx512vl"),
                            HONE_CPU("avx512vnni", "avx512vnni"),
                            HONE_CPU("avx512bf16", "avx512bf16"),
                            HONE_CPU("avxvnni", "avxvnni"),
                            {"amx-bf16", HasTiles<22>},
                            {"amx-tile", HasTiles<24>},
                            {"amx-int8", HasTiles<25>}};
#undef HONE_CPU
#elif defined(__aarch64__)
constexpr std::string_view kArchitecture = "aarch64";
template <unsigned long kBit>
bool HasBit() {
  return (getauxval(AT_HWCAP) & kBit) != 0;
}
template <unsigned long kBit>
bool HasBit2() {
  return (getauxval(AT_HWCAP2) & kBit) != 0;
}
const FeatureRow kRows[] = {{"fp-armv8", HasBit<1ul << 0>},  {"neon", HasBit<1ul << 1>},
                            {"fullfp16", HasBit<1ul << 10>}, {"dotprod", HasBit<1ul << 20>},
                            {"sve", HasBit<1ul << 22>},      {"lse", HasBit<1ul << 8>},
                            {"rdm", HasBit<1ul << 12>},      {"sve2", HasBit2<1ul << 1>},
                            {"i8mm", HasBit2<1ul << 13>},    {"bf16", HasBit2<1ul << 14>}};
#elif defined(__arm__)
constexpr std::string_view kArchitecture = "armv7";
// Bits of AT_HWCAP, as the kernel's interface fixes them.
template <unsigned long kBit>
bool HasBit() {
  return (getauxval(AT_HWCAP) & kBit) != 0;
}
const FeatureRow kRows[] = {{"neon", HasBit<1ul << 12>},
                            {"vfp3", HasBit<1ul << 13>},
                            {"vfp4", HasBit<1ul << 16>},
                            {"hwdiv-arm", HasBit<1ul << 17>},
                            {"d32", HasBit<1ul << 19>}};
#elif defined(__riscv) && __riscv_xlen == 64
constexpr std::string_view kArchitecture = "riscv64";
// The kernel's HWCAP has one bit per single-letter extension.
template <char kLetter>
bool HasLetter() {
  return (getauxval(AT_HWCAP) & (1ul << (kLetter - 'a'))) != 0;
}
// vlenb is read by its number, because assemblers for a target without V do not know the name.
uint64_t VectorBytes() {
  uint64_t bytes;
  asm("csrr %0, 0xc22" : "=r"(bytes));
  return bytes;
}
template <uint64_t kBits>
bool HasVectors() {
  return HasLetter<'v'>() && VectorBytes() * 8 >= kBits;
}
const FeatureRow kRows[] = {{"m", HasLetter<'m'>},        {"a", HasLetter<'a'>},       {"f", HasLetter<'f'>},
                            {"d", HasLetter<'d'>},        {"c", HasLetter<'c'>},       {"v", HasLetter<'v'>},
                            {"zvl256b", HasVectors<256>}, {"zvl512b", HasVectors<512>}};
#endif

}  // namespace

std::string_view HostArchitecture() { return kArchitecture; }

bool HostHasFeature(std::string_view feature) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const auto& r) { return r.name == feature; });
  return row != std::end(kRows) && row->present();
}

std::string FirstMissingFeature(const std::vector<std::string>& features) {
  for (const std::string& feature : features) {
    if (!HostHasFeature(feature)) return feature;
  }
  return "";
}

}  // namespace hone

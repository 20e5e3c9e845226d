#include "runtime/host_cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif

#include <algorithm>
#include <array>
#include <iterator>

#include "core/machine/cpu_feature_table.h"
#include "runtime/threads/thread_state.h"

namespace hone {
namespace {

#if defined(__x86_64__)

constexpr std::string_view kTriple = "x86_64", kArchitecture = "x86_64";

uint64_t Word(FeatureWord word) {
  enum Register { kEax, kEbx, kEcx, kEdx };
  static constexpr struct {
    FeatureWord word;
    unsigned leaf, subleaf;
    Register from;
  } kPlaces[] = {{FeatureWord::kCpuid1Ecx, 1, 0, kEcx},
                 {FeatureWord::kCpuid7Ebx, 7, 0, kEbx},
                 {FeatureWord::kCpuid7Ecx, 7, 0, kEcx},
                 {FeatureWord::kCpuid7Edx, 7, 0, kEdx},
                 {FeatureWord::kCpuid7Sub1Eax, 7, 1, kEax},
                 {FeatureWord::kCpuid7Sub1Edx, 7, 1, kEdx},
                 {FeatureWord::kCpuidExtended1Ecx, 0x80000001, 0, kEcx}};
  // A virtual machine stops for microseconds at each question, so each is asked once.
  static const auto words = [] {
    std::array<uint64_t, std::size(kPlaces)> read{};
    for (size_t i = 0; i < read.size(); ++i) {
      unsigned registers[4] = {};
      __get_cpuid_count(kPlaces[i].leaf, kPlaces[i].subleaf, &registers[kEax], &registers[kEbx], &registers[kEcx],
                        &registers[kEdx]);
      read[i] = registers[kPlaces[i].from];
    }
    return read;
  }();
  for (size_t i = 0; i < words.size(); ++i) {
    if (kPlaces[i].word == word) return words[i];
  }
  return 0;
}

// A program may ask for the system's mask of saved registers (XCR0) only where the system uses XSAVE.
bool SystemSaves(FeatureRegisters registers) {
  if (registers == FeatureRegisters::kBase) return true;
  if (registers == FeatureRegisters::kTiles) return MayUseTileRegisters();
  constexpr uint64_t kUsesXsave = uint64_t{1} << 27;
  if ((Word(FeatureWord::kCpuid1Ecx) & kUsesXsave) == 0) return false;
  uint32_t saved = 0, high = 0;
  asm("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  const uint32_t wanted = registers == FeatureRegisters::kYmm ? 0x06 : 0xe6;
  return (saved & wanted) == wanted;
}

bool Shows(const CpuFeature& feature) {
  return ((Word(feature.word) >> feature.bit) & 1) != 0 && SystemSaves(feature.registers);
}

#else

bool HwcapShows(const CpuFeature& feature) {
  return ((getauxval(feature.word == FeatureWord::kHwcap ? AT_HWCAP : AT_HWCAP2) >> feature.bit) & 1) != 0;
}

#if defined(__aarch64__)
constexpr std::string_view kTriple = "aarch64", kArchitecture = "aarch64";
bool Shows(const CpuFeature& feature) { return HwcapShows(feature); }
#elif defined(__arm__)
constexpr std::string_view kTriple = "armv7", kArchitecture = "arm";
bool Shows(const CpuFeature& feature) { return HwcapShows(feature); }
#elif defined(__riscv) && __riscv_xlen == 64
constexpr std::string_view kTriple = "riscv64", kArchitecture = "riscv64";
// vlenb is read by its number, because assemblers for a target without V do not know the name.
uint64_t VectorBytes() {
  uint64_t bytes;
  asm("csrr %0, 0xc22" : "=r"(bytes));
  return bytes;
}
bool Shows(const CpuFeature& feature) {
  if (feature.word != FeatureWord::kVectorBits) return HwcapShows(feature);
  return HostHasFeature("v") && VectorBytes() * 8 >= feature.bit;
}
#endif

#endif

}  // namespace

std::string_view HostArchitecture() { return kTriple; }

bool HostHasFeature(std::string_view feature) {
  const auto table = CpuFeatureTable();
  const auto row = std::find_if(table.begin(), table.end(), [&](const CpuFeature& f) {
    return f.architecture == kArchitecture && f.name == feature;
  });
  return row != table.end() && (row->word == FeatureWord::kAlways || Shows(*row));
}

std::string FirstMissingFeature(const std::vector<std::string>& features) {
  for (const std::string& feature : features) {
    if (!HostHasFeature(feature)) return feature;
  }
  return "";
}

}  // namespace hone

// The outcome of running a candidate on a runner.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// The numbers are permanent: records store them.
enum class Fate : uint8_t {
  kOk = 0,
  kInvalidConfig = 1,  // the schedule's constraint rejects it
  kUnsupported = 2,    // the target or the runner cannot run it
  kCompileFailed = 3,
  kWrongOutput = 4,
  kOutOfBounds = 5,  // wrote outside its buffers
  kCrashed = 6,
  kTimedOut = 7,
  kOutOfMemory = 8,
  kPolicyViolation = 9,  // tried what the sandbox forbids, or forged its result
  kRunnerLost = 10,
  kCancelled = 11,
};
// "Ok", "WrongOutput", ...
std::string_view FateName(Fate fate);
// Throws Error(kBadData).
Fate ParseFate(std::string_view name);

enum class CacheMode : uint8_t { kColdWeights = 0, kWarm = 1 };
// "cold-weights", "warm".
std::string_view CacheModeName(CacheMode mode);
CacheMode ParseCacheMode(std::string_view name);  // throws Error(kUsage)

// The rules by which a runner times a candidate. See docs/why/measuring.md for the reasons.
struct TimingPolicy {
  CacheMode cache = CacheMode::kColdWeights;
  int threads = 1;
  int min_samples = 3;              // taken always
  int max_samples = 15;             // taken when the first ones come near incumbent_ns
  int64_t min_sample_ns = 100'000;  // runs are batched until a sample takes this long
  int64_t incumbent_ns = 0;         // best time known; 0 = none. Only candidates within near_factor go on
  double near_factor = 1.10;
  int64_t deadline_ns = 10'000'000'000;  // wall time for load, check and timing; past it the fate is kTimedOut
  int64_t memory_bytes = int64_t{4} << 30;
  bool operator==(const TimingPolicy&) const = default;
};

// The machine that measured, as the executor found it. Texts are empty and numbers 0 if the system does not tell.
struct Environment {
  std::string host;       // a label, not an identity
  std::string cpu_model;  // "AMD EPYC", from /proc/cpuinfo
  std::string cpu_id;     // "AuthenticAMD-25-1-1": vendor-family-model-stepping
  std::string microcode;
  std::string features;  // space-separated, sorted, of those that kernels may require (LLVM's names)
  int cores = 0;         // allowed by affinity and the cgroup
  std::string caches;    // "32K,512K,32M"
  std::string governor;
  std::string kernel;      // uname -r
  std::string hypervisor;  // "" on bare metal, else its name as far as it is known
  std::string isolation;   // restrictions that the executor could enforce, e.g. "fork,rlimit,guard"
  bool emulated = false;   // under qemu-user
  double load = 0;         // 1-minute load average at that time
  std::string hone_version;
  std::string arch;      // of the program that measured, as its triple begins: "x86_64"
  std::string llvm_cpu;  // LLVM's name of the CPU, "znver5"; see core/machine/llvm_cpu_name.h
  // The kinds of the cores that affinity allows, if they differ (docs/reference/formats.md): "cortex-a72", "atom,core".
  std::string core_kind;
  std::string key, label;  // given when its runner registered at a tracker; else empty
  // The golden kernel that the runner times, and its time in the device's own history (docs/why/measuring.md, Health).
  std::string golden_kernel;
  int64_t golden_ns = 0;
  std::string roofs;   // measured limits of the machine (docs/reference/formats.md); empty if not measured
  std::string health;  // why the runner did not trust the device; empty if it did or does not check
  int mhz = 0;         // highest clock of the measuring cores, as last reported by the system
  double celsius = 0;  // temperature of the hottest sensor that the system reports
  bool operator==(const Environment&) const = default;
};

struct Measurement {
  Fate fate = Fate::kOk;
  int32_t detail = 0;               // the fate's own code: a signal number, a stage's return value
  std::string message;              // one line, empty when Ok
  std::vector<int64_t> samples_ns;  // per run (batch time / batch count), in the order taken
  std::vector<int64_t> batch;       // runs in each sample
  double worst_error = 0;           // max over checked elements of |got - ref| / (tolerance bound); <= 1 is right
  bool noisy = false;               // the quality gate failed and measuring again did not help
  int64_t wall_ns = 0;              // time of the job on the runner, without queueing
  Environment environment;
  // The least sample; 0 if there is none.
  int64_t MinNs() const;
  bool operator==(const Measurement&) const = default;
};

}  // namespace hone

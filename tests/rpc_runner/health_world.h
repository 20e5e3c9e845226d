// The surroundings of a HealthWatch, with a clock of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rpc_runner/health/health_watch.h"
#include "tests/rpc_runner/golden_noise.h"

namespace hone {

inline const char* const kSomeDevice = "1-avx2 some device";

struct World {
  int64_t now_ns = 0;
  std::function<std::vector<int64_t>()> golden = [] { return std::vector<int64_t>{1000, 2000, 3000}; };
  CpuTicks ticks;
  std::string machine = "AuthenticAMD-25-1-1";
  std::vector<std::string> complaints;
  int64_t golden_ns = 10'000'000;  // duration of a run

  HealthSources Sources() {
    return {[this] { return now_ns; },
            [this] {
              now_ns += golden_ns;
              return golden();
            },
            [this] { return ticks; }, [this] { return machine; },
            [this](const std::string& line) { complaints.push_back(line); }};
  }
  HealthWatch Watch(const std::string& folder = "") {
    HealthOptions options;
    options.folder = folder;
    return HealthWatch(options, kThreeParts, kSomeDevice, "1-avx2", Sources());
  }
  // A lease in which jobs of up to two seconds follow each other for `span_ns`, or until the device is withdrawn.
  void Work(HealthWatch& watch, int64_t span_ns, Random& random) {
    const int64_t end_ns = now_ns + span_ns;
    while (now_ns < end_ns && watch.may_be_offered()) {
      const auto job_ns = static_cast<int64_t>(2e9 * random.Uniform());
      ticks.all += job_ns;
      now_ns += job_ns;
      if (watch.IsDue()) watch.RunCheck();
    }
  }
};

}  // namespace hone

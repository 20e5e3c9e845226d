#include "lab/bench/measure_energy.h"

#include <memory>

#include "lab/bench/loaded_anew.h"
#include "lab/bench/warm_up.h"
#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

// A short warm-up suffices: the clocks have risen while the package was timed.
constexpr int64_t kLeastEnergyWarmUpNs = 20'000'000, kMostEnergyWarmUpNs = 1'000'000'000;

void Warm(Session& session) {
  for (WarmUp warm_up(kLeastEnergyWarmUpNs, kMostEnergyWarmUpNs); !warm_up.over();) {
    const int64_t begin_ns = MonotonicNs();
    session.Run();
    warm_up.Add(MonotonicNs() - begin_ns);
  }
}

}  // namespace

void MeasureEnergy(const InputOptions& inputs, int64_t min_ns, const std::function<double()>& joules,
                   std::vector<TimedPackage>& packages) {
  for (TimedPackage& timed : packages) {
    const LoadedAnew file(timed.path, inputs);
    const std::unique_ptr<Session> session = file.Start(file.first(), {.threads = timed.threads});
    Warm(*session);
    int64_t runs = 0;
    const double before = joules();
    const int64_t begin_ns = MonotonicNs();
    do {
      session->Run();
      ++runs;
    } while (MonotonicNs() - begin_ns < min_ns);
    timed.joules_per_run = (joules() - before) / static_cast<double>(runs);
  }
}

}  // namespace hone

#include "rpc_runner/environment.h"
#include "runtime/session.h"
#include "tuner/measure_peak.h"
#include "tuner/tuner.h"
#include "tuner/tuning_loop.h"

namespace hone {
namespace {

// Compiling while a kernel is timed disturbs the timing, also from the core's other thread: it waits its turn unless
// the runner is another machine or half of this one's cores are idle anyway.
bool CompilingDisturbsNobody(Runner& runner, int threads) {
  return runner.Describe().host != ProbeEnvironment().host || AllowedCores() >= 2 * threads + 2;
}

}  // namespace

TuneReport Tune(const std::vector<Task>& tasks, const TuneOptions& options, Runner& runner, RecordStore& store,
                const std::function<void(const TuneEvent&)>& observe, const std::atomic<bool>* stop) {
  TuneTools tools = RealTuneTools();
  tools.overlap = CompilingDisturbsNobody(runner, options.threads);
  TuneReport report = TuningLoop(tasks, options, runner, store, tools, observe, stop).Run();
  if (!report.interrupted) report.peak_gflops = MeasurePeak(runner, options.target, options.threads);
  return report;
}

}  // namespace hone

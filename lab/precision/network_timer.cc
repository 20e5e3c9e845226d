#include "lab/precision/network_timer.h"

#include <algorithm>
#include <memory>
#include <string>

#include "compiler/relay/reference.h"
#include "lab/bench/time_packages.h"
#include "lab/files/fresh_file.h"
#include "lab/text/dispatch_table.h"
#include "runtime/session.h"

namespace hone {
namespace {

class LocalTimer : public NetworkTimer {
 public:
  explicit LocalTimer(int threads) : threads_(threads) {}

  std::vector<NetworkTime> Time(const std::vector<const BuildResult*>& networks) override {
    std::vector<std::unique_ptr<TemporaryPackage>> files;
    std::vector<std::string> paths;
    for (const BuildResult* network : networks) {
      files.push_back(std::make_unique<TemporaryPackage>(network->package));
      paths.push_back(files.back()->path());
    }
    TimePackagesOptions options;
    options.threads = threads_;
    options.rounds = 5;
    options.min_time_ns = 500'000'000;
    options.profiled_runs = 15;
    std::vector<NetworkTime> times;
    for (const TimedPackage& timed : TimePackages(paths, options)) {
      times.push_back({MiddleOf(RoundTimes(timed, false)), timed.call_ns});
    }
    return times;
  }
  bool measures() const override { return true; }

 private:
  static int64_t MiddleOf(std::vector<int64_t> ns) {
    const auto middle = ns.begin() + static_cast<std::ptrdiff_t>(ns.size() / 2);
    std::nth_element(ns.begin(), middle, ns.end());
    return *middle;
  }

  int threads_;
};

class EstimatingTimer : public NetworkTimer {
 public:
  std::vector<NetworkTime> Time(const std::vector<const BuildResult*>& networks) override {
    std::vector<NetworkTime> times;
    for (const BuildResult* network : networks) {
      NetworkTime time;
      for (const PlanCall& call : network->plan.calls) {
        time.call_ns.push_back(static_cast<int64_t>(ExpectedNs(*network, call)));
        time.ns += time.call_ns.back();
      }
      times.push_back(std::move(time));
    }
    return times;
  }
  bool measures() const override { return false; }
};

}  // namespace

std::unique_ptr<NetworkTimer> MakeLocalTimer(int threads) { return std::make_unique<LocalTimer>(threads); }

std::unique_ptr<NetworkTimer> MakeEstimatingTimer() { return std::make_unique<EstimatingTimer>(); }

std::unique_ptr<NetworkTimer> MakeNetworkTimer(const Machine& machine) {
  return machine.is_host ? MakeLocalTimer(machine.context.threads) : MakeEstimatingTimer();
}

std::vector<std::vector<Tensor>> RunPackage(const std::string& package, const std::vector<CalibrationSample>& samples,
                                            int threads) {
  const auto loaded = Package::FromBytes(package, "a package for calibration");
  Session session(loaded, {.threads = threads});
  const std::vector<InputSpec> specs = InputSpecs(*loaded);
  std::vector<std::vector<Tensor>> made;
  for (const CalibrationSample& sample : samples) {
    for (const InputSpec& spec : specs) session.SetInput(spec.name, sample.inputs.at(spec.name));
    session.Run();
    std::vector<Tensor> outputs;
    for (int i = 0; i < session.outputs(); ++i) outputs.push_back(session.Output(i));
    made.push_back(std::move(outputs));
  }
  return made;
}

std::vector<std::vector<Tensor>> ReferenceOutputs(const relay::IRModule& module,
                                                  const std::vector<CalibrationSample>& samples) {
  std::vector<std::vector<Tensor>> made;
  for (const CalibrationSample& sample : samples) made.push_back(RunReference(module, sample.inputs));
  return made;
}

double LargestError(const std::vector<std::vector<Tensor>>& made, const std::vector<std::vector<Tensor>>& reference) {
  std::vector<SignalError> errors(reference.empty() ? 0 : reference[0].size());
  for (size_t sample = 0; sample < reference.size(); ++sample) {
    for (size_t i = 0; i < errors.size(); ++i) errors[i].Add(made.at(sample).at(i), reference[sample][i]);
  }
  double largest = 0;
  for (const SignalError& error : errors) largest = std::max(largest, error.largest());
  return largest;
}

}  // namespace hone

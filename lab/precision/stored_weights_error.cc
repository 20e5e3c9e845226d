#include "lab/precision/stored_weights_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lab/machine/package_there.h"
#include "lab/model/build_model.h"
#include "lab/model/extents.h"
#include "lab/model/inputs.h"
#include "lab/model/taken_extents.h"
#include "lab/verify/compare_outputs.h"
#include "rpc_runner/executor/job_limits.h"
#include "runtime/package.h"

namespace hone {
namespace {

using Inputs = std::map<std::string, Tensor>;

// Random inputs of the largest extents that were found to be taken; nullopt if none were.
std::optional<Inputs> InputsFor(const relay::IRModule& typed, const Package& package) {
  const std::vector<InputSpec> specs = InputSpecs(package);
  const SampledExtents samples =
      SampleExtents(FreeDimensions(specs), [&](const Extents& extents) { return TakesExtents(typed, extents); });
  if (samples.taken.empty() || !TakesExtents(typed, samples.taken.back())) return std::nullopt;
  InputOptions options;
  for (const auto& [name, extent] : samples.taken.back()) options.dims.push_back(fmt::format("{}={}", name, extent));
  return MakeInputs(specs, options);
}

Machine OnThisOne(const Machine& machine) {
  if (machine.is_host) return machine;
  Machine here = ResolveMachine({});
  here.context.weights = machine.context.weights;
  here.context.weight_group = machine.context.weight_group;
  here.context.byte_rows = machine.context.byte_rows;
  return here;
}

Machine WithFloatWeights(Machine machine) {
  machine.context.weights = StoredWeights::kFloat32;
  machine.context.byte_rows = false;
  return machine;
}

}  // namespace

std::optional<double> StoredWeightsError(const relay::IRModule& typed, const Machine& machine,
                                         const RecordOptions& records, const BuildResult& built) {
  // Weights of 4 bits with a scale for each 32 are 7 times as long as float32.
  constexpr int64_t kLonger = 8, kShareOfMemory = 4;
  if (static_cast<int64_t>(built.package.size()) * kLonger > MachineBytes() / kShareOfMemory) return std::nullopt;
  const Machine here = OnThisOne(machine);
  const auto load = [](const std::string& bytes) { return Package::FromBytes(bytes, "the built package"); };
  const auto stored = load(machine.is_host ? built.package : BuildModel(typed, here, records).result.package);
  const std::optional<Inputs> inputs = InputsFor(typed, *stored);
  if (!inputs) return std::nullopt;
  const std::vector<Tensor> outputs = OutputsHere(stored, here.context.threads, *inputs);
  const std::vector<Tensor> exact = OutputsHere(load(BuildModel(typed, WithFloatWeights(here), records).result.package),
                                                here.context.threads, *inputs);
  double largest = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    largest = std::max(largest, CompareOutput("output", outputs.at(i), exact[i], 1).worst);
  }
  return largest;
}

}  // namespace hone

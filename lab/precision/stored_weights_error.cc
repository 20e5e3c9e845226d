#include "lab/precision/stored_weights_error.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lab/model/build_model.h"
#include "lab/model/inputs.h"
#include "lab/verify/compare_outputs.h"
#include "rpc_runner/executor/job_limits.h"
#include "runtime/session.h"

namespace hone {
namespace {

using Inputs = std::map<std::string, Tensor>;

// Both packages have the same inputs.
std::vector<Tensor> Outputs(const std::string& bytes, int threads, Inputs& inputs) {
  const auto package = Package::FromBytes(bytes, "the built package");
  if (inputs.empty()) inputs = MakeInputs(InputSpecs(*package), {});
  Session session(package, {.threads = threads});
  for (const auto& [name, tensor] : inputs) session.SetInput(name, tensor);
  session.Run();
  std::vector<Tensor> outputs;
  for (int i = 0; i < session.outputs(); ++i) outputs.push_back(session.Output(i));
  return outputs;
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
  Inputs inputs;
  const auto outputs_of = [&](const std::string& bytes) { return Outputs(bytes, here.context.threads, inputs); };
  const std::vector<Tensor> stored =
      outputs_of(machine.is_host ? built.package : BuildModel(typed, here, records).result.package);
  const std::vector<Tensor> exact = outputs_of(BuildModel(typed, WithFloatWeights(here), records).result.package);
  double largest = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    largest = std::max(largest, CompareOutput("output", stored.at(i), exact[i], 1).worst);
  }
  return largest;
}

}  // namespace hone

#include "lab/precision/run_package.h"

#include <algorithm>

#include "compiler/relay/reference.h"
#include "runtime/session.h"

namespace hone {

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

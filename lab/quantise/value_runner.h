// Runs a model on this machine to observe any of its values.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/onnx_import.h"
#include "core/build_context.h"
#include "lab/model/inputs.h"
#include "runtime/session.h"

namespace hone {

// Settings for importing a model's bytes, and the context in which it runs.
struct RunSettings {
  OnnxImportOptions import;
  BuildContext context;
  std::string name;  // the model's, for messages
};

// A package that computes the values of these names, in that order. Not thread-safe.
class ValueRunner {
 public:
  // Builds the package. `model` is the ONNX model's bytes. Throws Error(kBadData) if hone cannot run it.
  ValueRunner(const std::string& model, const std::vector<std::string>& values, const RunSettings& settings);

  std::vector<Tensor> Run(const std::map<std::string, Tensor>& inputs);
  const std::vector<InputSpec>& inputs() const { return specs_; }

 private:
  std::vector<std::string> values_;
  std::vector<InputSpec> specs_;  // of the model
  std::vector<int> at_;           // per value its index in the session's outputs; -1: it is an input
  std::unique_ptr<Session> session_;
};

// Splits the values, in their order, into groups of at most `most_bytes` at once, or of one value.
std::vector<std::vector<std::string>> GroupValues(const std::string& model, const std::vector<std::string>& values,
                                                  const RunSettings& settings, int64_t most_bytes);

}  // namespace hone

// Runs a model on this machine to see what any of its values are.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/inputs.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "core/build_context.h"
#include "runtime/session.h"

namespace hone {

// How the bytes of a model are read and where they run.
struct RunSettings {
  OnnxImportOptions import;
  BuildContext context;
  std::string name;  // of the model, for messages
};

// One package that makes the values of these names, in that order. Used by one thread at a time.
class ValueRunner {
 public:
  // Builds it. `model` is the ONNX model's bytes. Throws Error(kBadData) when hone cannot run it.
  ValueRunner(const std::string& model, const std::vector<std::string>& values, const RunSettings& settings);

  std::vector<Tensor> Run(const std::map<std::string, Tensor>& inputs);
  const std::vector<InputSpec>& inputs() const { return specs_; }

 private:
  std::vector<std::string> values_;
  std::vector<InputSpec> specs_;  // the model's
  std::vector<int> at_;           // per value its output of the session; -1: it is an input
  std::unique_ptr<Session> session_;
};

// The values in groups that take at most `most_bytes` at once each, or are one value, in their order.
std::vector<std::vector<std::string>> GroupValues(const std::string& model, const std::vector<std::string>& values,
                                                  const RunSettings& settings, int64_t most_bytes);

}  // namespace hone

// A model that runtimes load, with its inputs and the outputs that are right.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/json/serialize.h"
#include "core/tensor.h"
#include "lab/files/fresh_file.h"
#include "lab/model/inputs.h"
#include "lab/model/model.h"
#include "rpc_runner/adapter/adapter.h"
#include "runtime/package.h"

namespace hone {

// Whether a runtime's outputs are right.
struct JudgedOutputs {
  // kCannotTell: as much as these outputs differ from the reference, those of correct runtimes may.
  enum class Finding : uint8_t { kAgree, kDiffer, kCannotTell };
  Finding finding = Finding::kAgree;
  double error = 0;    // the largest max |y - r| / max |r| of an output; infinite if a NaN or an infinity differs
  double allowed = 0;  // the largest that agrees, of that output
  std::string why;     // a line; empty if they agree
};

// Not copyable: the files that it made last as long as it.
class JudgedModel {
 public:
  // `package` is the model's, from which its inputs are known. A model that is no .onnx file is exported into a
  // temporary one. Throws Error as LoadModel, MakeInputs and the export do.
  JudgedModel(const ModelOptions& options, const Package& package, const InputOptions& inputs);

  // The .onnx file.
  const std::string& path() const { return path_; }
  // The model as one file, whose weights lie in it. Throws Error as ReadFile and the export do.
  std::string OneFile() const;
  const std::map<std::string, Tensor>& inputs() const { return inputs_; }
  // The protocol's tensors of the inputs, in the model's order.
  Json AdapterInputs() const;
  // Computed in float64, at the first call.
  const std::vector<Tensor>& Reference();
  // The size of all outputs together. Runs the reference.
  int64_t OutputBytes();
  // Judges outputs in the model's order. What rounding to `precision`, an adapter's, may change is allowed.
  JudgedOutputs Judge(const std::vector<Tensor>& got, const std::string& precision);
  // Judges those of the adapter's last run. Throws Error as Adapter::Outputs does, and for tensors that are none.
  JudgedOutputs Judge(Adapter& adapter);

 private:
  Model model_;
  std::string path_;
  std::optional<FreshFile> exported_;
  std::vector<std::string> input_names_;  // in the model's order
  std::map<std::string, Tensor> inputs_;
  std::vector<Tensor> reference_;
};

}  // namespace hone

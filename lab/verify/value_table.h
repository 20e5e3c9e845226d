// The results of a package's calls, as a table and as files.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/json/serialize.h"
#include "core/package/plan.h"
#include "core/tensor.h"
#include "lab/text/table.h"
#include "runtime/observed_run.h"

namespace hone {

// The .npy file name for a name in the model, in which only harmless characters are kept.
std::string NpyFileName(const std::string& name);
// A number as JSON; NaN and infinities become text, because JSON lacks them.
Json NumberJson(double value);

// Every node of the model that a call computes, in order.
std::vector<std::string> NodesOf(const Plan& plan);
// Whether the call computes the node.
bool Computes(const Plan& plan, int call, const std::string& node);

// Rows in the order of Add: call, operator, name, shape, least, greatest, and the number of NaN or infinite elements.
class ValueTable {
 public:
  // `folder` gets a file per value; it may be empty. `plan` must outlive the table.
  ValueTable(const Plan& plan, std::string folder);

  // Throws Error as WriteNpy does.
  void Add(const ObservedValue& value);
  // Prints the table, and the first value that is not finite.
  void Print(bool json) const;

 private:
  const Plan& plan_;
  const std::string folder_;
  Table table_;
  Json rows_ = Json::array();
  std::set<std::string> files_;
  std::string first_not_finite_;
};

// Prints and saves tensors for `hone run`.

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

// Prints one line: name, shape, type and the first 10 values.
void PrintTensor(const std::string& name, const Tensor& tensor);
// {"name", "shape", "dtype", "first": the values of PrintTensor}.
Json TensorJson(const std::string& name, const Tensor& tensor);
// Saves each tensor as FOLDER/NAME.npy. Throws Error(kCannotCreate).
void SaveTensors(const NamedTensors& tensors, const std::string& folder);

}  // namespace hone

// Prints and saves tensors for `hone run`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/json/serialize.h"
#include "core/tensor.h"

namespace hone {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

// Prints one line: name, shape, type and the first 10 values.
void PrintTensor(const std::string& name, const Tensor& tensor);
// {"name", "shape", "dtype", "first": the values of PrintTensor}.
Json TensorJson(const std::string& name, const Tensor& tensor);
// Saves each tensor as FOLDER/NAME.npy. Throws Error(kCannotCreate).
void SaveTensors(const NamedTensors& tensors, const std::string& folder);

}  // namespace hone

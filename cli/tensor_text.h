// Tensors as `hone run` shows and keeps them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/serialize.h"
#include "core/tensor.h"

namespace hone {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

// One line: name, shape, type and the first 10 values.
void PrintTensor(const std::string& name, const Tensor& tensor);
// {"name", "shape", "dtype", "first": the same values}.
Json TensorJson(const std::string& name, const Tensor& tensor);
// Each as FOLDER/NAME.npy. Throws Error(kCannotCreate).
void SaveTensors(const NamedTensors& tensors, const std::string& folder);

}  // namespace hone

// Tensors as the protocol of adapters writes them: docs/reference/adapter.md.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/json/serialize.h"
#include "core/tensor.h"

namespace hone {

Json AdapterTensor(const std::string& name, const Tensor& tensor);
// The name and the value. Throws Error(kBadData), naming the tensor, for a wrong field or data of another size.
std::pair<std::string, Tensor> FromAdapterTensor(const Json& json);

// The values of a list of them.
std::vector<Tensor> FromAdapterTensors(const Json& list);

}  // namespace hone

// Tensors in .safetensors files.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/plan.h"
#include "core/tensor.h"

namespace hone {

// Every parameter under its name (made unique with _N where two are alike), in the memory layout that the kernels read:
// the shape is the physical one, and the metadata tell each layout that is not row-major. `params` is the package's
// section. Throws Error(kBadData) when a parameter lies outside it.
std::string SafetensorsBytes(const Plan& plan, std::string_view params);

// The plan's parameters in the order of its buffers, as above: the buffer's number, and the name in the file.
std::vector<std::pair<size_t, std::string>> ParamNames(const Plan& plan);
// What a file says of a parameter's shape.
Shape PhysicalShape(const PlanBuffer& buffer);

// Tensors by name, row-major.
std::string SafetensorsBytes(const std::map<std::string, Tensor>& tensors);

// The reverse: every tensor by its name, its bytes copied. `name` is the file's, for errors. Throws Error(kBadData) for
// bytes that are no such file or end early, a dtype that hone does not know, a shape that its bytes do not fit, and
// tensors that take more bytes together than there are.
std::map<std::string, Tensor> ParseSafetensors(std::string_view bytes, const std::string& name);

}  // namespace hone

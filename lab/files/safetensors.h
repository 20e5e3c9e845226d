// Tensors in .safetensors files.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/package/plan.h"
#include "core/tensor.h"

namespace hone {

// Every parameter under its name (made unique with _N if two are equal), in the memory layout that the kernels read.
// The shape is the physical one, and the metadata name each layout that is not row-major. `params` is the package's
// section. Throws Error(kBadData) if a parameter lies outside it.
std::string SafetensorsBytes(const Plan& plan, std::string_view params);

// The plan's parameters in the order of its buffers: the buffer's index, and the name in the file.
std::vector<std::pair<size_t, std::string>> ParamNames(const Plan& plan);
// The shape of a parameter in the file.
Shape PhysicalShape(const PlanBuffer& buffer);

// A file of tensors by name, row-major.
std::string SafetensorsBytes(const std::map<std::string, Tensor>& tensors);

// Reads such a file: every tensor by its name, its bytes copied. `name` is the file's, for errors. Throws
// Error(kBadData) for another format, a truncated file, an unknown dtype, or a shape that does not fit its bytes. Also
// if the tensors together take more bytes than the file has.
std::map<std::string, Tensor> ParseSafetensors(std::string_view bytes, const std::string& name);

}  // namespace hone

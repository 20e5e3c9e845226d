#include "lab/adapter/adapter_tensor.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "core/error.h"
#include "core/json/json_fields.h"
#include "core/text/base64.h"

namespace hone {

Json AdapterTensor(const std::string& name, const Tensor& tensor) {
  const std::string_view bytes(static_cast<const char*>(tensor.raw()), static_cast<size_t>(tensor.size_bytes()));
  return {{"name", name}, {"dtype", DTypeName(tensor.dtype())}, {"shape", tensor.shape()}, {"data", Base64(bytes)}};
}

std::pair<std::string, Tensor> FromAdapterTensor(const Json& json) {
  std::string name = TextField(json, "name");
  const DType dtype = ParseDType(TextField(json, "dtype"));
  const Shape shape = ShapeField(json, "shape");
  const Json& data = Field(json, "data");
  const std::string_view text = data.is_string() ? std::string_view(data.get_ref<const std::string&>()) : "";
  // Before there is memory for them: a shape costs nothing to write.
  const auto bytes = static_cast<double>(ElementCount(shape)) * static_cast<double>(DTypeBytes(dtype));
  if (!data.is_string() || bytes > static_cast<double>(text.size())) {
    throw Error(ExitCode::kBadData, fmt::format("tensor {} has too few bytes for {}", name, ShapeText(shape)));
  }
  Tensor tensor(dtype, shape);
  if (!FromBase64(text, tensor.raw(), static_cast<size_t>(tensor.size_bytes()))) {
    throw Error(ExitCode::kBadData, fmt::format("tensor {} has no base64 of {} bytes", name, tensor.size_bytes()));
  }
  return {std::move(name), std::move(tensor)};
}

std::vector<Tensor> FromAdapterTensors(const Json& list) {
  std::vector<Tensor> tensors;
  for (const Json& each : list) tensors.push_back(FromAdapterTensor(each).second);
  return tensors;
}

}  // namespace hone

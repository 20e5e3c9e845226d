#include "cli/tensor_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/files/npy.h"
#include "cli/printing/print.h"
#include "cli/value_table.h"
#include "core/error.h"

namespace hone {
namespace {

constexpr int64_t kShown = 10;

}  // namespace

void PrintTensor(const std::string& name, const Tensor& tensor) {
  Print("{} {} {}:", name, ShapeText(tensor.shape()), DTypeName(tensor.dtype()));
  for (int64_t i = 0; i < std::min(kShown, tensor.elements()); ++i) Print(" {:.6g}", tensor.At(i));
  Print("{}\n", tensor.elements() > kShown ? " ..." : "");
}

Json TensorJson(const std::string& name, const Tensor& tensor) {
  Json first = Json::array();
  for (int64_t i = 0; i < std::min(kShown, tensor.elements()); ++i) first.push_back(NumberJson(tensor.At(i)));
  return {{"name", name}, {"shape", tensor.shape()}, {"dtype", DTypeName(tensor.dtype())}, {"first", first}};
}

void SaveTensors(const NamedTensors& tensors, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(ExitCode::kCannotCreate, fmt::format("the folder {} cannot be made: {}", folder, error.message()));
  for (const auto& [name, tensor] : tensors) WriteNpy(tensor, folder + "/" + NpyFileName(name));
}

}  // namespace hone

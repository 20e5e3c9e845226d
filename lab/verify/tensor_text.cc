#include "lab/verify/tensor_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/files/npy.h"
#include "lab/files/write_file.h"
#include "lab/text/print.h"
#include "lab/verify/value_table.h"

namespace hone {
namespace {

constexpr int64_t kMostElementsShown = 10;

}  // namespace

void PrintTensor(const std::string& name, const Tensor& tensor) {
  Print("{} {} {}:", name, ShapeText(tensor.shape()), DTypeName(tensor.dtype()));
  for (int64_t i = 0; i < std::min(kMostElementsShown, tensor.elements()); ++i) Print(" {:.6g}", tensor.At(i));
  Print("{}\n", tensor.elements() > kMostElementsShown ? " ..." : "");
}

Json TensorJson(const std::string& name, const Tensor& tensor) {
  Json first = Json::array();
  for (int64_t i = 0; i < std::min(kMostElementsShown, tensor.elements()); ++i)
    first.push_back(NumberJson(tensor.At(i)));
  return {{"name", name}, {"shape", tensor.shape()}, {"dtype", DTypeName(tensor.dtype())}, {"first", first}};
}

void SaveTensors(const NamedTensors& tensors, const std::string& folder) {
  MakeFolder(folder);
  for (const auto& [name, tensor] : tensors) WriteNpy(tensor, folder + "/" + NpyFileName(name));
}

}  // namespace hone

#include "lab/verify/value_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lab/files/npy.h"
#include "lab/files/write_file.h"
#include "lab/text/print.h"

namespace hone {
namespace {

struct FiniteRange {
  double least = std::numeric_limits<double>::infinity(), greatest = -std::numeric_limits<double>::infinity();
  int64_t not_finite = 0;
};

// The range of the finite elements.
FiniteRange RangeOf(const Tensor& tensor) {
  FiniteRange range;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const double value = tensor.At(i);
    if (!std::isfinite(value)) {
      ++range.not_finite;
      continue;
    }
    range.least = std::min(range.least, value);
    range.greatest = std::max(range.greatest, value);
  }
  return range;
}

std::string NumberText(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "-"; }

}  // namespace

std::string NpyFileName(const std::string& name) {
  std::string file = name;
  for (char& c : file) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    if (!plain) c = '_';
  }
  return (file.empty() || file[0] == '.' ? "_" + file : file) + ".npy";
}

Json NumberJson(double value) { return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value)); }

std::vector<std::string> NodesOf(const Plan& plan) {
  std::vector<std::string> nodes;
  for (const PlanCall& call : plan.calls) nodes.insert(nodes.end(), call.nodes.begin(), call.nodes.end());
  return nodes;
}

bool Computes(const Plan& plan, int call, const std::string& node) {
  const std::vector<std::string>& nodes = plan.calls.at(static_cast<size_t>(call)).nodes;
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

ValueTable::ValueTable(const Plan& plan, std::string folder)
    : plan_(plan),
      folder_(std::move(folder)),
      table_({"> call", "operator", "value", "shape", "> least", "> greatest", "> not finite"}) {
  if (!folder_.empty()) MakeFolder(folder_);
}

void ValueTable::Add(const ObservedValue& value) {
  const std::string& op = plan_.calls.at(static_cast<size_t>(value.call)).op;
  const FiniteRange range = RangeOf(value.value);
  const std::string shape = fmt::format("{} {}", ShapeText(value.value.shape()), DTypeName(value.value.dtype()));
  table_.Add({fmt::format("{}", value.call), op, value.name, shape, NumberText(range.least), NumberText(range.greatest),
              fmt::format("{}", range.not_finite)});
  Json row = {{"call", value.call},
              {"op", op},
              {"name", value.name},
              {"shape", value.value.shape()},
              {"dtype", DTypeName(value.value.dtype())},
              {"least", NumberJson(range.least)},
              {"greatest", NumberJson(range.greatest)},
              {"not_finite", range.not_finite}};
  if (range.not_finite > 0 && first_not_finite_.empty()) {
    first_not_finite_ = fmt::format("{} (call {}, {})", value.name, value.call, op);
  }
  if (!folder_.empty()) {
    std::string file = fmt::format("{}/{:04}_{}", folder_, value.call, NpyFileName(value.name));
    // A call may leave several values with one name.
    for (int i = 1; !files_.insert(file).second; ++i) {
      file = fmt::format("{}/{:04}_{}", folder_, value.call, NpyFileName(fmt::format("{}_{}", value.name, i)));
    }
    const bool bfloat = value.value.dtype() == DType::kBFloat16;  // numpy has no bfloat16
    WriteNpy(bfloat ? value.value.As(DType::kFloat32) : value.value, file);
    row["file"] = file;
  }
  rows_.push_back(std::move(row));
}

void ValueTable::Print(bool json) const {
  if (json) {
    PrintJson({{"values", rows_}, {"first_not_finite", first_not_finite_.empty() ? Json() : Json(first_not_finite_)}});
    return;
  }
  hone::Print("{}{}\n", table_.ToText(),
              first_not_finite_.empty() ? "every value is finite" : "not finite first: " + first_not_finite_);
}

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

#include "lab/model/options_of_each.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "compiler/frontend/onnx/file/onnx_parse.h"
#include "compiler/frontend/onnx/model/input_shapes.h"
#include "core/error.h"
#include "lab/files/read_file.h"

namespace hone {
namespace {

struct FreeNames {
  bool is_onnx = false;
  std::set<std::string> inputs, dims;
};

FreeNames NamesIn(const std::string& model) {
  FreeNames names;
  names.is_onnx = !model.starts_with("zoo:") && !IsRelayFile(model);
  if (!names.is_onnx || !IsThere(model)) return names;
  const InputFile file(model, false);
  const ExternalData external(model);
  std::vector<std::string> notices;
  for (const OnnxInput& input : ParseOnnxFile(file.fd(), &external, notices).inputs) {
    names.inputs.insert(input.name);
    for (size_t axis = 0; axis < input.dims.size(); ++axis) names.dims.insert(FreeDimName(input, axis));
  }
  return names;
}

std::string NameOf(const std::string& option) { return option.substr(0, option.rfind('=')); }

using NamesOf = std::set<std::string> FreeNames::*;
using Texts = std::vector<std::string> ModelOptions::*;

void LeaveOut(const std::vector<FreeNames>& names, const std::set<std::string>& elsewhere, NamesOf known, Texts texts,
              std::vector<ModelOptions>& each) {
  const auto has = [&](const FreeNames& one, const std::string& text) { return (one.*known).contains(NameOf(text)); };
  const auto onnx = std::find_if(names.begin(), names.end(), [](const FreeNames& one) { return one.is_onnx; });
  for (size_t i = 0; i < each.size(); ++i) {
    std::erase_if(each[i].*texts, [&](const std::string& text) {
      const bool is_known = elsewhere.contains(NameOf(text)) ||
                            std::any_of(names.begin(), names.end(), [&](const auto& one) { return has(one, text); });
      return is_known ? !has(names[i], text) : onnx != names.end() && !names[i].is_onnx;
    });
  }
}

}  // namespace

std::vector<ModelOptions> OptionsOfEach(const std::vector<std::string>& names, const ModelOptions& details,
                                        const std::set<std::string>& elsewhere) {
  std::vector<ModelOptions> each(names.size(), details);
  for (size_t i = 0; i < names.size(); ++i) each[i].model = names[i];
  if (names.size() + elsewhere.size() < 2 || (details.shapes.empty() && details.dims.empty() && details.values.empty()))
    return each;
  std::vector<FreeNames> free;
  std::transform(names.begin(), names.end(), std::back_inserter(free), NamesIn);
  LeaveOut(free, {}, &FreeNames::inputs, &ModelOptions::shapes, each);
  LeaveOut(free, elsewhere, &FreeNames::dims, &ModelOptions::dims, each);
  LeaveOut(free, {}, &FreeNames::inputs, &ModelOptions::values, each);
  return each;
}

}  // namespace hone

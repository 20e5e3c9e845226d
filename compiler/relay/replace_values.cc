#include "compiler/relay/replace_values.h"

#include <fmt/format.h>

#include <unordered_map>

#include "core/error.h"
#include "core/text/spelling.h"

namespace hone {
namespace {

std::string TypeText(const Tensor& tensor) {
  return fmt::format("{} {}", DTypeName(tensor.dtype()), ShapeText(tensor.shape()));
}

}  // namespace

void ReplaceValues(std::vector<std::pair<std::string, Tensor>>& values, const std::map<std::string, Tensor>& others,
                   const std::string& origin) {
  std::unordered_map<std::string, Tensor*> places;
  std::vector<std::string> names;
  for (auto& [name, value] : values) {
    places.emplace(name, &value);
    names.push_back(name);
  }
  for (const auto& [name, other] : others) {
    const auto place = places.find(name);
    if (place == places.end()) {
      throw Error(ExitCode::kBadData, fmt::format("{} holds {}, which is no parameter of the model{}", origin, name,
                                                  DidYouMean(name, names)));
    }
    const Tensor& value = *place->second;
    if (other.dtype() == value.dtype() && other.shape() == value.shape()) continue;
    throw Error(ExitCode::kBadData, fmt::format("{}: parameter {} is {}; the model's is {}", origin, name,
                                                TypeText(other), TypeText(value)));
  }
  for (const auto& [name, other] : others) *places.at(name) = other;
}

}  // namespace hone

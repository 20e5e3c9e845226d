#include "compiler/relay/element_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace hone::relay {

std::vector<DType> DTypeSet::Types() const {
  constexpr DType kOrder[] = {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16, DType::kInt8,
                              DType::kUInt8,   DType::kInt32,   DType::kInt64,   DType::kBool};
  std::vector<DType> types;
  for (const DType type : kOrder) {
    if (Has(type)) types.push_back(type);
  }
  std::ranges::copy_if(declared::kAll, std::back_inserter(types), [this](DType type) { return Has(type); });
  return types;
}

ElementRule ElementRule::With(int input, std::vector<Case> cases) {
  DTypeSet all;
  for (const Case& each : cases) all = all | each.own;
  return {all, input, std::move(cases)};
}

DTypeSet ElementRule::Beside(DType other) const {
  if (input_ < 0) return types_;
  if (cases_.empty()) return other;
  DTypeSet allowed;
  for (const Case& each : cases_) {
    if (each.other.Has(other)) allowed = allowed | each.own;
  }
  return allowed;
}

std::string ElementRule::ToText(const std::string& other) const {
  if (input_ < 0) return relay::ToText(types_);
  if (cases_.empty()) return fmt::format("like {}", other);
  std::string text;
  for (const Case& each : cases_) {
    text += fmt::format("{}{} with {} of {}", text.empty() ? "" : "; ", relay::ToText(each.own), other,
                        relay::ToText(each.other));
  }
  return text;
}

std::string ToText(DTypeSet types) {
  if (types == kAnyElement) return "any";
  std::string text;
  const std::vector<DType> all = types.Types();
  for (size_t i = 0; i < all.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == all.size() ? " or " : ", ", DTypeName(all[i]));
  }
  return text;
}

}  // namespace hone::relay

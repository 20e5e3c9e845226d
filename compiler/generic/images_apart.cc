#include "compiler/generic/images_apart.h"

#include <algorithm>

namespace hone {
namespace {

constexpr const char* kAttr = "apart";

}  // namespace

relay::FunctionPtr WithImagesApart(const relay::FunctionPtr& function, std::vector<int64_t> operands) {
  auto copy = relay::WithFields(*function, function->params, function->body);
  copy->type = function->type;
  copy->attrs.Set(kAttr, std::move(operands));
  return copy;
}

bool LiesApart(const relay::Function& function, size_t operand) {
  const std::vector<int64_t> apart = function.attrs.GetInts(kAttr);
  return std::find(apart.begin(), apart.end(), static_cast<int64_t>(operand)) != apart.end();
}

}  // namespace hone

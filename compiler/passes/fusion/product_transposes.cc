#include "compiler/passes/fusion/product_transposes.h"

#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/transposes.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

ExprPtr TransposeReadBy(const UserMap& users, const Grouping& grouping, const ExprPtr& matmul, size_t argument) {
  const Call& product = *relay::AsCall(matmul);
  const ExprPtr& read = product.args[argument];
  const Call* transpose = relay::AsCallTo(read, "transpose");
  if (transpose == nullptr || grouping.Has(read) || users.OnlyUser(read) == nullptr) return nullptr;
  const std::string axes = TransposedFrom(*transpose, MatmulAxes(product, argument));
  const bool groups = argument == 0 && product.args[0]->type->dtype != DType::kFloat32;
  return axes.ends_with('B') || (groups && !axes.ends_with('K')) ? nullptr : read;
}

ExprPtr TransposeBehind(const UserMap& users, const Grouping& grouping, const ExprPtr& value) {
  const ExprPtr next = users.OnlyUser(value);
  const Call* transpose = next != nullptr && !grouping.Has(next) ? relay::AsCallTo(next, "transpose") : nullptr;
  return transpose != nullptr && TransposeAxes(*transpose) == Axes{1, 0, 2} ? next : nullptr;
}

}  // namespace hone

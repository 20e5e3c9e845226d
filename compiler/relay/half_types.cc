#include "compiler/relay/half_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "compiler/relay/visitor.h"
#include "core/error.h"
#include "core/text/parse_number.h"

namespace hone::relay {
namespace {

bool IsHalf(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

std::set<DType> TypesNamed(const std::string& text) {
  std::set<DType> types;
  for (const std::string_view name : Split(text, ',')) {
    const DType dtype = ParseDType(name);
    if (!IsHalf(dtype)) {
      throw Error(ExitCode::kBadData, fmt::format("{} of @main is \"{}\"; float16, bfloat16 or both with a comma would "
                                                  "be right",
                                                  kHalves, text));
    }
    types.insert(dtype);
  }
  return types;
}

}  // namespace

std::vector<DType> HalfTypesOf(const Function& main) {
  std::set<DType> types;
  if (main.attrs.Find(kHalves) != nullptr) types = TypesNamed(main.attrs.GetString(kHalves));
  PostOrderVisit(main.body, [&](const ExprPtr& expr) {
    const Call* cast = AsCallTo(expr, "cast");
    if (cast == nullptr) return;
    const DType from = cast->args[0]->type->dtype, to = cast->type->dtype;
    if (IsHalf(from) && to == DType::kFloat32) types.insert(from);
    if (IsHalf(to) && from == DType::kFloat32) types.insert(to);
  });
  return {types.begin(), types.end()};
}

}  // namespace hone::relay

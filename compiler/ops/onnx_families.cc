#include "compiler/ops/onnx_families.h"

#include <iterator>
#include <utility>

namespace hone {

OnnxOperatorTable AllOnnxOperators() {
  OnnxOperatorTable all;
  for (const auto& operators : {
#define HONE_FAMILY(folder, ops, emitters, onnx) onnx
#define ONNX(name) name##Operators,
#include "compiler/ops/families.def"
#undef ONNX
#undef HONE_FAMILY
       }) {
    OnnxOperatorTable table = operators();
    std::move(table.begin(), table.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace hone

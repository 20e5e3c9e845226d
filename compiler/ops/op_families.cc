#include "compiler/ops/op_families.h"

#include <iterator>
#include <utility>

namespace hone::relay {

OpTable AllRows() {
  OpTable all;
  for (const auto& rows : {
#define HONE_FAMILY(folder, ops, emitters, onnx) ops
#define OPS(name) name##Ops,
#include "compiler/ops/families.def"
#undef OPS
#undef HONE_FAMILY
       }) {
    OpTable table = rows();
    std::move(table.begin(), table.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace hone::relay

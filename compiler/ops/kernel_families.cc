#include "compiler/ops/kernel_families.h"

namespace hone {

EmitterTable AllEmitters() {
  EmitterTable all;
  for (const auto& emitters : {
#define HONE_FAMILY(folder, ops, emitters, onnx) emitters
#define EMITTERS(name) name##Emitters,
#include "compiler/ops/families.def"
#undef EMITTERS
#undef HONE_FAMILY
       }) {
    const EmitterTable table = emitters();
    all.insert(all.end(), table.begin(), table.end());
  }
  return all;
}

}  // namespace hone

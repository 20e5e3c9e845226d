// The tables of emitters, one or more for each family.
#pragma once

#include "compiler/generic/evaluator.h"

namespace hone {

#define HONE_FAMILY(folder, ops, emitters, onnx) emitters
#define EMITTERS(name) EmitterTable name##Emitters();
#include "compiler/ops/families.def"
#undef EMITTERS
#undef HONE_FAMILY

}  // namespace hone

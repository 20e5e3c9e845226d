// The tables of ONNX operators, one or more for each family.
#pragma once

#include "compiler/frontend/onnx/onnx_operators.h"

namespace hone {

#define HONE_FAMILY(folder, ops, emitters, onnx) onnx
#define ONNX(name) OnnxOperatorTable name##Operators();
#include "compiler/ops/families.def"
#undef ONNX
#undef HONE_FAMILY

}  // namespace hone

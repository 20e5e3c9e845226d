// The tables of Relay operators, one or more for each family.
#pragma once

#include "compiler/relay/op.h"

namespace hone::relay {

#define HONE_FAMILY(folder, ops, emitters, onnx) ops
#define OPS(name) OpTable name##Ops();
#include "compiler/ops/families.def"
#undef OPS
#undef HONE_FAMILY

}  // namespace hone::relay

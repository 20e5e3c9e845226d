// The calls between a product of bytes and the store of its result, read as an Epilogue.
#pragma once

#include <functional>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/workload.h"

namespace hone {

// The calls behind an int32 sum that an Epilogue can express, in the order of Epilogue's fields:
//    nn.bias_add of int32; cast to float32; multiply by (O,1,1), or by (O) behind a dense layer or a batch_matmul;
//    round, clip, multiply by a number: a hold (a cast to bytes and back in between changes nothing);
//    nn.bias_add of float32; add of an image, or of (bytes - their zero point) * a number; an activation;
//    divide by a number, round, clip, add a number (or add before clip), cast to uint8.
// Behind a batch_matmul no bias and no image is added. All but the cast to float32 may be absent. Without that cast
// nothing is taken, and the output is the int32 sum itself. Operands per channel may be computed by other calls.
struct WholeEpilogue {
  Epilogue epilogue;
  DType output = DType::kFloat32;
  std::vector<relay::ExprPtr> steps;  // in post order; those that decode a residual of bytes precede the add
};

// `next` is the only call that reads a value, if it may be taken; else null. `own` says whether a call that only the
// residual's operand needs may be taken. Returns no steps if not even the cast to float32 follows.
WholeEpilogue ReadWholeEpilogue(const relay::ExprPtr& product,
                                const std::function<relay::ExprPtr(const relay::ExprPtr&)>& next,
                                const std::function<bool(const relay::ExprPtr&)>& own);

}  // namespace hone

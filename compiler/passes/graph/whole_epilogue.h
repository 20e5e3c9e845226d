// What follows a convolution or a dense layer of bytes until its result is stored, read as an Epilogue.
#pragma once

#include <functional>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/workload.h"

namespace hone {

// Of the calls behind a sum in int32, those that an Epilogue says, in the order of Epilogue's fields:
//   nn.bias_add of int32; cast to float32; multiply by (O,1,1), behind a dense layer and behind a batch_matmul by (O);
//   round, clip, multiply by a number: a hold (bytes and back, in between, change nothing);
//   nn.bias_add of float32; add of an image, or of bytes less their zero point times a number; an activation;
//   divide by a number, round, clip, add a number (or add before clip), cast to uint8.
// Behind a batch_matmul no bias and no image is added. All but the cast to float32 may be absent; without it nothing is
// taken, and the output is the sum itself, int32. What is met per channel may be computed by other calls.
struct WholeEpilogue {
  Epilogue epilogue;
  DType output = DType::kFloat32;
  std::vector<relay::ExprPtr> steps;  // in post order; those that make the residual's floats come before the add
};

// `next` is the one call that reads a value, when it is alone and may be taken; else null. `own` says whether a call
// that only the residual's side needs may be taken. Without steps when not even the cast to float32 follows.
WholeEpilogue ReadWholeEpilogue(const relay::ExprPtr& product,
                                const std::function<relay::ExprPtr(const relay::ExprPtr&)>& next,
                                const std::function<bool(const relay::ExprPtr&)>& own);

}  // namespace hone

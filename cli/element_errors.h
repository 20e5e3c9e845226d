// Whether outputs are right element by element: an error that is small beside the largest element may be all that an
// element elsewhere consists of.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/tensor.h"

namespace hone {

// The element that is furthest beyond what sums of floats explain at its place.
struct ElementError {
  double excess = 0;  // |y - r| of the element over what is allowed there; 0: none is looked at more closely
  int64_t index = 0;
};

// Whether small errors of sums stay small on the way to the outputs: nothing in the model rounds, compares or chooses.
bool IsContinuous(const relay::IRModule& typed);

// Elements within `tolerance` of their own size, or of the median size of an output's elements that are not 0, are
// right. Where all are, the reference does not run. The others are held against how well the model determines each
// element: eight times what it moves by when inputs and results are moved at random by a tenth of the tolerance of
// their own size each, which takes four runs. `got` and `reference` are as CompareOutput takes them, one error for
// each; what is NaN or infinite in either is passed over.
std::vector<ElementError> ElementErrors(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs,
                                        const std::vector<Tensor>& got, const std::vector<Tensor>& reference,
                                        double tolerance);

}  // namespace hone

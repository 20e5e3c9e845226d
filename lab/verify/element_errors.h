// Judges outputs element by element: an error that is small beside the largest element may be a whole small element.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/tensor.h"

namespace hone {

// The element that exceeds its allowed error the most.
struct ElementError {
  double excess = 0;  // |y - r| of the element over its allowed error; 0: no element was examined
  int64_t index = 0;
};

// Whether small errors of sums stay small on the way to the outputs: no operator of the model rounds, compares or
// selects.
bool IsContinuous(const relay::IRModule& typed);

// Elements are right within `tolerance` of their own magnitude, or of the median magnitude of an output's nonzero
// elements. If all are right, the reference does not run.
//
// The others are judged by how well the model determines each element. Four runs move inputs and results at random by a
// tenth of the tolerance of their own magnitude. An element's allowed error is eight times the root mean square of its
// movement, plus the tolerance of its magnitude.
//
// `got` and `reference` are as for CompareOutput, with one error for each. Elements that are NaN or infinite in either
// are ignored.
std::vector<ElementError> ElementErrors(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs,
                                        const std::vector<Tensor>& got, const std::vector<Tensor>& reference,
                                        double tolerance);

}  // namespace hone

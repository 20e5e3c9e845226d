// Reshapes of values whose extents are counted at run time.
#pragma once

#include <vector>

#include "compiler/frontend/onnx/counts.h"
#include "core/tensor.h"

namespace hone {

class TypedBuilder;

// The data with the axes of `shape`, whose extents are the counts `to` (null: the dimension). Valid elements keep their
// order and remain dense: where an axis behind the first of a group is counted, they are gathered.
//
//    3 x 4, both counted: 2 x 3 there    a b c .          6 of 12    a b c d e f . . . . . .
//                                        d e f .
//                                        . . . .
//
// A dimension of the result may be less than in `shape`, if its extent is known to be less. A run fails if the extents
// do not fit; throws Error(kBadData) if they never do.
relay::ExprPtr ReshapeCounted(TypedBuilder& builder, const relay::ExprPtr& data, Shape shape, Counts to);

// As ReshapeCounted, to int64 scalars. One of them may be null, which stands for the extent that the others leave.
relay::ExprPtr ReshapeToExtents(TypedBuilder& builder, const relay::ExprPtr& data, std::vector<relay::ExprPtr> extents);

// As ReshapeCounted, for a shape that is made of the data's own dimensions alone: groups of dimensions with equal
// products have equal extents. Throws Error(kBadData) if these are ambiguous, or if a dimension does not divide them.
relay::ExprPtr ReshapeByDims(TypedBuilder& builder, const relay::ExprPtr& data, const Shape& shape);

}  // namespace hone

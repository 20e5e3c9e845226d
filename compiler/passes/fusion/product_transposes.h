// The transposes next to a product of two computed matrices. They become its operands' layouts.
#pragma once

#include "compiler/passes/fusion/fuse.h"

namespace hone {

// The transpose through which the nn.batch_matmul may read its `argument`: it has no other user and no group. Vectors
// run along the last axis, which must not be B. Data whose neighbours along K are multiplied together must have K last.
// Null if there is none.
relay::ExprPtr TransposeReadBy(const UserMap& users, const Grouping& grouping, const relay::ExprPtr& matmul,
                               size_t argument);
// The transpose through which a product may write `value`, BMN in the order MBN: the value's only user, in no group.
// Null if there is none.
relay::ExprPtr TransposeBehind(const UserMap& users, const Grouping& grouping, const relay::ExprPtr& value);

}  // namespace hone

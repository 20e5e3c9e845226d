// The transposes next to a product of two computed matrices, which are its operands' layouts.
#pragma once

#include "compiler/passes/fusion/fuse.h"

namespace hone {

// The transpose through which the nn.batch_matmul may read its `argument`: nobody else uses it, no group has it, and B
// is not last then, which vectors run along, but K in data whose neighbours are multiplied together. Null when there is
// none.
relay::ExprPtr TransposeReadBy(const UserMap& users, const Grouping& grouping, const relay::ExprPtr& matmul,
                               size_t argument);
// The transpose that a product writes `value` through, as BMN in the order MBN: its only user, in no group. Null when
// there is none.
relay::ExprPtr TransposeBehind(const UserMap& users, const Grouping& grouping, const relay::ExprPtr& value);

}  // namespace hone

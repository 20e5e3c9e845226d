// A large window of a pool becomes one of columns, then one of rows. This takes kh + kw steps for an output instead of
// kh * kw.
//
//    x x x                     c c c
//    x x x   of columns        . . .   of rows
//    x x x   ---------->       . . .   ------->   the largest of all nine, or the mean of three means
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/graph/window_attrs.h"
#include "compiler/passes/rules/canonicalise.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// Compares steps per output. The intermediate values are written and read once more, once for each skipped column.
bool PaysApart(const std::vector<int64_t>& size, const std::array<int64_t, 2>& strides) {
  constexpr int64_t kPerColumn = 2, kOnce = 4;
  const int64_t apart = size[0] * strides[1] + size[1] + kPerColumn * strides[1] + kOnce;
  return 2 * size[0] * size[1] > 3 * apart;
}

// The pool's part along height (axis 0) or width (axis 1).
ExprPtr AlongAxis(const Call& pool, const ExprPtr& data, size_t axis) {
  const auto only = [&](const auto& both) {
    std::vector<int64_t> one{1, 1};
    one[axis] = both[axis];
    return one;
  };
  std::vector<int64_t> padding{0, 0, 0, 0};
  for (const size_t side : {axis, axis + 2}) padding[side] = Padding4(pool.attrs)[side];
  relay::Attrs attrs = pool.attrs;
  attrs.Set("pool_size", only(pool.attrs.GetInts("pool_size")));
  attrs.Set("strides", only(Pair(pool.attrs, "strides")));
  attrs.Set("dilation", only(Pair(pool.attrs, "dilation")));
  attrs.Set("padding", padding);
  return TypedCall(relay::AsOp(pool.op)->def->name, {data}, attrs, pool.name);
}

// Each row of a window counts as many columns as every other, so the mean of means is the mean.
ExprPtr PoolByAxes(const ExprPtr& node, const Uses&) {
  const Call* pool = relay::AsCallTo(node, "nn.max_pool2d");
  if (pool == nullptr) pool = relay::AsCallTo(node, "nn.avg_pool2d");
  if (pool == nullptr || !IsStatic(ShapeOf(node)) || pool->attrs.GetString("layout", "NCHW") != "NCHW") return nullptr;
  const std::vector<int64_t> size = pool->attrs.GetInts("pool_size");
  if (size.size() != 2 || size[0] == 1 || size[1] == 1 || !PaysApart(size, Pair(pool->attrs, "strides"))) {
    return nullptr;
  }
  return AlongAxis(*pool, AlongAxis(*pool, pool->args[0], 0), 1);
}

}  // namespace

const std::vector<Rule>& PoolRules() {
  static const std::vector<Rule> rules{PoolByAxes};
  return rules;
}

}  // namespace hone

// Decision trees: each row goes down every tree to a leaf, and the leaves' weights are joined.
#include <fmt/format.h>

#include <bit>
#include <limits>

#include "compiler/ops/op_families.h"
#include "compiler/ops/trees/op_tree_node.h"
#include "compiler/relay/arguments.h"
#include "core/nth.h"

namespace hone::relay {
namespace {

using Tensors = std::vector<Tensor>;
using Types = std::vector<TypePtr>;

constexpr size_t kTargetsArgument = 4;

void RequireSome(const Shape& shape, const char* what) {
  for (const int64_t dim : shape) {
    if (dim < 1 || dim > INT32_MAX) Misfit(fmt::format("{} is {}, it must have elements", what, ShapeText(shape)));
  }
}

void CheckAttributes(const Attrs& attrs) {
  const std::string aggregate = attrs.GetString("aggregate");
  if (aggregate != "sum" && aggregate != "min" && aggregate != "max") {
    Misfit(fmt::format("aggregate is \"{}\", it must be sum, min or max", aggregate));
  }
  const int64_t always = attrs.GetInt("always"), varies = attrs.GetInt("varies");
  if (always < 0 || varies < 0 || (always | varies) > kAllTreeOutcomes || (always & varies) != 0) {
    Misfit(
        fmt::format("always {} and varies {} must be sets of the outcomes 1, 2, 4, 8 that share none", always, varies));
  }
}

TypePtr TreeType(const Types& args, const Attrs& attrs) {
  CheckAttributes(attrs);
  const Shape data = TensorArg(args, 0, "data", 2).shape, nodes = RowMajorArg(args, 1, "nodes", 2).shape,
              roots = RowMajorArg(args, 2, "roots", 1).shape, weights = TensorArg(args, 3, "weights", 2).shape;
  RequireSome(data, "data");
  RequireSome(nodes, "nodes");
  RequireSome(roots, "roots");
  RequireSome(weights, "weights");
  if (nodes[1] != kTreeNodeWords || !std::has_single_bit(static_cast<uint64_t>(nodes[0]))) {
    Misfit(fmt::format("nodes is {}, it must be (N, 4), N a power of two", ShapeText(nodes)));
  }
  if (data[1] > kMostTreeFeatures) Misfit(fmt::format("{} features, at most {}", data[1], kMostTreeFeatures));
  const int64_t targets = attrs.GetInt("targets");
  if (targets < 1 || targets > INT32_MAX) Misfit(fmt::format("targets is {}, it must be 1 or more", targets));
  if (args.size() > kTargetsArgument) {
    const Shape to = RowMajorArg(args, kTargetsArgument, "leaf_targets", 2).shape;
    if (to != weights) Misfit(fmt::format("leaf_targets {} for weights {}", ShapeText(to), ShapeText(weights)));
  } else if (weights[1] != targets) {
    Misfit(fmt::format("weights {} without leaf_targets for {} targets", ShapeText(weights), targets));
  }
  return TensorType({data[0], targets});
}

// The tables of one call; every number read from them is clamped to its range.
class Trees {
 public:
  Trees(const Tensors& args, const Attrs& attrs)
      : args_(args),
        nodes_(args[1].shape()[0]),
        leaves_(args[3].shape()[0]),
        width_(args[3].shape()[1]),
        targets_(attrs.GetInt("targets")),
        aggregate_(attrs.GetString("aggregate")),
        always_(attrs.GetInt("always")),
        varies_(attrs.GetInt("varies")) {}

  double Start() const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return aggregate_ == "sum" ? 0 : aggregate_ == "min" ? kInfinity : -kInfinity;
  }

  int64_t LeafOf(int64_t tree, int64_t row) const {
    int64_t at = args_[2].data<int32_t>()[tree];
    for (int64_t step = 0; at >= 0; ++step) {
      if (at >= nodes_ || step == nodes_) Misfit(fmt::format("tree {} does not end in a leaf", tree));
      at = Child(args_[1].data<int32_t>() + at * kTreeNodeWords, row);
    }
    if (~at >= leaves_) Misfit(fmt::format("leaf {} of {}", ~at, leaves_));
    return ~at;
  }

  void Join(int64_t leaf, std::vector<double>& sums) const {
    for (int64_t i = 0; i < width_; ++i) {
      const int64_t to =
          args_.size() > kTargetsArgument ? args_[kTargetsArgument].data<int32_t>()[leaf * width_ + i] : i;
      if (to < 0 || to >= targets_) Misfit(fmt::format("leaf {} has target {} of {}", leaf, to, targets_));
      const double weight = args_[3].At(leaf * width_ + i);
      double& sum = Nth(sums, to);
      sum = aggregate_ == "sum" ? sum + weight : (aggregate_ == "min" ? weight < sum : weight > sum) ? weight : sum;
    }
  }

 private:
  int64_t Child(const int32_t* node, int64_t row) const {
    const auto word = static_cast<uint32_t>(node[0]);
    const int64_t feature = word >> kTreeOutcomeBits, features = args_[0].shape()[1];
    if (feature >= features) Misfit(fmt::format("feature {} of {}", feature, features));
    const double x = args_[0].At(row * features + feature), threshold = std::bit_cast<float>(node[1]);
    const int64_t outcome = x == threshold ? kEqual : x > threshold ? kGreater : x < threshold ? kLess : kUnordered;
    const int64_t taken = always_ | (word & static_cast<uint32_t>(varies_));
    return node[(taken & outcome) != 0 ? 2 : 3];
  }

  const Tensors& args_;
  int64_t nodes_, leaves_, width_, targets_;
  std::string aggregate_;
  int64_t always_, varies_;
};

Tensors TreeEnsemble(const Tensors& args, const Attrs& attrs) {
  const Trees trees(args, attrs);
  const int64_t rows = args[0].shape()[0], targets = attrs.GetInt("targets"), count = args[2].elements();
  Tensor result(DType::kFloat32, {rows, targets});
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<double> sums(static_cast<size_t>(targets), trees.Start());
    for (int64_t tree = 0; tree < count; ++tree) trees.Join(trees.LeafOf(tree, row), sums);
    for (int64_t target = 0; target < targets; ++target) result.Set(row * targets + target, Nth(sums, target));
  }
  return {result};
}

}  // namespace

OpTable TreeEnsembleOps() {
  OpDef def;
  def.name = "tree_ensemble";
  def.description = "decision trees: the weights of the leaves that each row comes to, joined by target";
  def.inputs = {
      {"data", "(rows, features)", kKernelFloat},
      {"nodes",
       "(nodes, 4), a power of two of them: feature * 16 + outcomes for the true child, bits of the "
       "threshold, true child, "
       "false child; a leaf is -1 - its number",
       DType::kInt32},
      {"roots", "(trees): a node or leaf each", DType::kInt32},
      {"weights", "(leaves, width)", kKernelFloat},
      {"leaf_targets", "(leaves, width): which target each weight is for; without it weight i is for target i",
       DType::kInt32}};
  def.results = {{"sums", kKernelFloat}};
  def.optional_inputs = 1;
  def.attrs = {
      {"targets", AttrKind::kInt, int64_t{1}, "how many"},
      {"aggregate", AttrKind::kString, std::string("sum"), "sum, min or max"},
      {"always", AttrKind::kInt, int64_t{0},
       "outcomes for which every node takes its true child: 1 equal, 2 greater, 4 less than the threshold, 8 NaN"},
      {"varies", AttrKind::kInt, int64_t{0}, "outcomes for which each node's own set decides"}};
  def.support_level = 10;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  def.type_relation = TreeType;
  def.reference = TreeEnsemble;
  return {def};
}

}  // namespace hone::relay

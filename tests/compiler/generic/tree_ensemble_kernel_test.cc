// tree_ensemble as a kernel against its reference: every number of rows and trees side by side, sets of outcomes, and
// tables that no converter writes.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "compiler/ops/trees/op_tree_node.h"
#include "tests/compiler/generic/check_function.h"
#include "tests/compiler/generic/kernel_runner.h"
#include "tests/support/test_targets.h"

namespace hone::testing {
namespace {

struct Forest {
  int64_t rows = 3, features = 5, trees = 4, depth = 4, width = 1, targets = 1;
  bool named = false;
  std::string aggregate = "sum";
  int64_t always = relay::kLess | relay::kEqual, varies = 0;
  int64_t first_nan = 3;  // element index; every seventh from there on is NaN
};

Tensor Int32s(Shape shape, const std::vector<int32_t>& values) {
  return Tensor::FromVector(DType::kInt32, std::move(shape), values);
}

// Trees of random nodes, some of which end early. Among several trees one is a single leaf.
class Grown {
 public:
  explicit Grown(const Forest& forest) : forest_(forest) {
    for (int64_t tree = 0; tree < forest.trees; ++tree) roots_.push_back(Grow(tree == 1 ? 0 : forest.depth));
    words_.resize(4 * std::bit_ceil(std::max<size_t>(1, words_.size() / 4)));
  }

  std::vector<Tensor> Args() {
    Tensor data(DType::kFloat32, {forest_.rows, forest_.features});
    for (int64_t i = 0; i < data.elements(); ++i) data.Set(i, static_cast<double>(random_.Below(5)));
    for (int64_t i = forest_.first_nan; i < data.elements(); i += 7) data.Set(i, std::nan(""));
    Tensor weights(DType::kFloat32, {leaves_, forest_.width});
    FillTensor(weights, Fill::kNormal, 3);
    std::vector<Tensor> args{data, Int32s({static_cast<int64_t>(words_.size()) / 4, 4}, words_),
                             Int32s({forest_.trees}, roots_), weights};
    if (forest_.named) args.push_back(Targets());
    return args;
  }

 private:
  int32_t Grow(int64_t depth) {
    if (depth == 0 || random_.Below(6) == 0) return ~static_cast<int32_t>(leaves_++);
    const auto at = words_.size();
    const auto feature = static_cast<int32_t>(random_.Below(static_cast<uint64_t>(forest_.features)));
    const auto threshold = static_cast<float>(random_.Below(5));
    const auto outcomes = static_cast<int32_t>(random_.Below(16));
    words_.insert(words_.end(),
                  {feature << relay::kTreeOutcomeBits | outcomes, std::bit_cast<int32_t>(threshold), 0, 0});
    const int32_t yes = Grow(depth - 1), no = Grow(depth - 1);
    words_[at + 2] = yes;
    words_[at + 3] = no;
    return static_cast<int32_t>(at / 4);
  }

  Tensor Targets() {
    Tensor targets(DType::kInt32, {leaves_, forest_.width});
    for (int64_t i = 0; i < targets.elements(); ++i) {
      targets.Set(i, static_cast<double>(random_.Below(static_cast<uint64_t>(forest_.targets))));
    }
    return targets;
  }

  const Forest& forest_;
  Random random_{11};
  std::vector<int32_t> words_, roots_;
  int64_t leaves_ = 0;
};

relay::FunctionPtr FunctionOf(const Forest& forest, const std::vector<Tensor>& args) {
  std::vector<relay::ExprPtr> params;
  for (const Tensor& arg : args) {
    params.push_back(Param("p" + std::to_string(params.size()), arg.shape(), "", arg.dtype()));
  }
  return Function(params, relay::MakeCall("tree_ensemble", params,
                                          {{"targets", forest.targets},
                                           {"aggregate", forest.aggregate},
                                           {"always", forest.always},
                                           {"varies", forest.varies}}));
}

void Check(const Forest& forest) {
  SCOPED_TRACE(::testing::Message() << forest.rows << " rows, " << forest.trees << " trees");
  const std::vector<Tensor> args = Grown(forest).Args();
  CheckFunction(FunctionOf(forest, args), args);
}

TEST(TreeEnsembleKernel, TakesAnyNumberOfRowsAndTrees) {
  for (const int64_t rows : {1, 2, 3, 5, 8, 9, 31, 32, 33, 77}) {
    for (const int64_t trees : {1, 2, 7, 9}) Check({.rows = rows, .trees = trees});
  }
}

TEST(TreeEnsembleKernel, ComparesByEverySetOfOutcomes) {
  for (int64_t always = 0; always <= relay::kAllTreeOutcomes; ++always) {
    Check({.always = always, .varies = 0});
    Check({.rows = 11, .always = always, .varies = relay::kAllTreeOutcomes & ~always});
  }
}

// Rows without NaN take a separate path if nodes distinguish only NaN: no row, all rows, and those of one item.
TEST(TreeEnsembleKernel, LooksForNan) {
  for (const int64_t first_nan : {int64_t{1} << 40, int64_t{0}, int64_t{33 * 5}, int64_t{37 * 5 - 1}}) {
    Check({.rows = 37, .varies = relay::kUnordered, .first_nan = first_nan});
    Check({.rows = 37, .features = 200, .trees = 2, .varies = relay::kUnordered, .first_nan = first_nan});
  }
}

TEST(TreeEnsembleKernel, JoinsWeightsOfSeveralTargets) {
  for (const char* aggregate : {"sum", "min", "max"}) {
    Check({.rows = 13, .width = 3, .targets = 3, .aggregate = aggregate});
    Check({.rows = 13, .targets = 4, .named = true, .aggregate = aggregate});
    Check({.rows = 2, .width = 2, .targets = 5, .named = true, .aggregate = aggregate});
  }
}

TEST(TreeEnsembleKernel, IsAsDeepAsItsNodes) { Check({.rows = 4, .trees = 3, .depth = 14}); }

// With arbitrary tables the kernel reads nothing outside them and ends; its results are unspecified.
TEST(TreeEnsembleKernel, EndsWhateverTheTablesHold) {
  const Forest forest{.rows = 9, .targets = 3, .named = true, .varies = relay::kUnordered};
  std::vector<Tensor> args = Grown(forest).Args();
  Random random(5);
  for (const size_t table : {size_t{1}, size_t{2}, size_t{4}}) {
    int32_t* words = args[table].data<int32_t>();
    for (int64_t i = 0; i < args[table].elements(); ++i)
      words[i] = static_cast<int32_t>(random.Below(uint64_t{1} << 32));
  }
  // This includes a cycle: node 0 leads to itself.
  args[1].data<int32_t>()[2] = args[1].data<int32_t>()[3] = 0;
  args[2].data<int32_t>()[0] = 0;
  for (const Target& target : TestTargets()) {
    const auto results = CompiledFunction(FunctionOf(forest, args), target).Run(args, 0, random);
    EXPECT_EQ(results[0].shape(), (Shape{9, 3}));
  }
}

}  // namespace
}  // namespace hone::testing

// Random graphs with a ranged batch and a ranged sequence, against the same graphs of fixed extents.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/compiler/frontend/model_maker.h"
#include "tests/compiler/frontend/ranged_models.h"

namespace hone {
namespace {

using Ints = std::vector<int64_t>;
constexpr int64_t kWidth = 4;

// Draws a model of values of batch x seq x 4.
class RangedDraw {
 public:
  explicit RangedDraw(unsigned seed) : random_(seed) {}

  std::string Model() {
    model_.Input("x", {-1, -1, kWidth})
        .Ints("zero", {0})
        .Ints("one", {1})
        .Ints("last", {-1})
        .Ints("rows", {-1, kWidth});
    auto* shape = model_.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
    shape->mutable_dim(0)->set_dim_param("batch");
    shape->mutable_dim(1)->set_dim_param("seq");
    for (const char* name : {"gamma", "bias"}) Weight(name, {kWidth});
    Weight("square", {kWidth, kWidth});
    Weight("taps", {kWidth, kWidth, 3});
    values_ = {"x"};
    for (int i = 0; i < 7; ++i) values_.push_back(Draw());
    model_.Output(values_.back()).Output(Tail(values_.back()));
    return model_.Bytes();
  }

 private:
  int64_t Below(int64_t n) { return static_cast<int64_t>(random_()) % n; }
  std::string Any() { return values_[static_cast<size_t>(Below(static_cast<int64_t>(values_.size())))]; }

  void Weight(const std::string& name, const Ints& dims) {
    std::vector<float> values(static_cast<size_t>(ElementCount(dims)));
    for (float& value : values) value = static_cast<float>(Below(1001)) / 1000 - 0.5F;
    model_.Weight(name, dims, values);
  }

  std::string Make(const std::string& op, const std::vector<std::string>& inputs,
                   const std::vector<std::pair<std::string, TestAttribute>>& attributes = {}) {
    const std::string name = "v" + std::to_string(next_++);
    model_.Node(op, inputs, {name}, attributes);
    return name;
  }
  std::string Turned(const std::string& value) { return Make("Transpose", {value}, {{"perm", Ints{0, 2, 1}}}); }
  std::string Length(const std::string& value) { return Make("Gather", {Make("Shape", {value}), "one"}); }

  std::string Draw() {
    const std::vector<std::function<std::string()>> ways = {
        [&] { return Make(Below(2) == 0 ? "Tanh" : "Relu", {Any()}); },
        [&] { return Make(Below(2) == 0 ? "Add" : "Mul", {Any(), Any()}); },
        [&] { return Make("MatMul", {Any(), "square"}); },
        [&] {
          const std::string products = Make("MatMul", {Any(), Turned(Any())});
          return Make("MatMul", {Make("Softmax", {products}, {{"axis", int64_t{-1}}}), Any()});
        },
        [&] { return Make("LayerNormalization", {Any(), "gamma", "bias"}); },
        [&] {
          const std::string value = Any();
          const char* const op = Below(2) == 0 ? "ReduceMean" : "ReduceMax";
          return Make("Sub", {value, Make(op, {value}, {{"axes", Ints{1}}})});
        },
        [&] {
          return Make("CumSum", {Make("Tanh", {Any()}), "one"}, {{"reverse", Below(2)}, {"exclusive", Below(2)}});
        },
        [&] { return Turned(Make("Conv", {Turned(Any()), "taps"}, {{"pads", Ints{1, 1}}})); },
        [&] {
          const std::string value = Any(), flat = Make("Reshape", {value, Below(2) == 0 ? "last" : "rows"});
          return Make("Reshape", {Make("Tanh", {flat}), Make("Shape", {value})});
        },
        [&] {
          const std::string joined = Make("Concat", {Any(), Any()}, {{"axis", int64_t{1}}});
          return Make("Slice", {joined, "zero", Length("x"), "one"});
        },
        [&] {
          // Position p of a sequence of n keeps its element where 2 p < n.
          const std::string n = Make("Squeeze", {Length("x")}), range = Make("Range", {Zero(), n, One()});
          const std::string early = Make("Less", {Make("Add", {range, range}), n});
          return Make("Where", {Make("Unsqueeze", {early, "one"}), Any(), Any()});
        },
        [&] {
          const std::vector<std::pair<std::string, TestAttribute>> window = {{"kernel_shape", Ints{3}},
                                                                             {"pads", Ints{1, 1}}};
          return Turned(Make(Below(2) == 0 ? "AveragePool" : "MaxPool", {Turned(Any())}, window));
        },
        [&] {
          const std::string value = Any();
          return Make("Expand", {Make("Slice", {value, "zero", "one", "one"}), Make("Shape", {value})});
        },
        [&] { return Make("Add", {Any(), Make("Gather", {Any(), "last"}, {{"axis", int64_t{1}}})}); },
        [&] {
          const std::string turned = Make("Transpose", {Any()}, {{"perm", Ints{1, 0, 2}}});
          return Make("Transpose", {Make("Softmax", {turned}, {{"axis", int64_t{0}}})}, {{"perm", Ints{1, 0, 2}}});
        },
    };
    return ways[static_cast<size_t>(Below(static_cast<int64_t>(ways.size())))]();
  }

  std::string Scalar(const std::string& name, int64_t value) {
    if (!scalars_.contains(name)) {
      model_.Ints(name, {value});
      model_.graph().mutable_initializer(model_.graph().initializer_size() - 1)->clear_dims();
      scalars_.insert(name);
    }
    return name;
  }
  std::string Zero() { return Scalar("scalar_zero", 0); }
  std::string One() { return Scalar("scalar_one", 1); }

  // A last value whose sequence is shorter or longer.
  std::string Tail(const std::string& value) {
    const std::vector<std::function<std::string()>> ways = {
        [&] { return Make("Conv", {Turned(value), "taps"}, {{"pads", Ints{1, 1}}, {"strides", Ints{2}}}); },
        [&] { return Make("ConvTranspose", {Turned(value), "taps"}, {{"strides", Ints{2}}}); },
        [&] { return Make("Concat", {value, value, "x"}, {{"axis", int64_t{1}}}); },
        [&] { return Make("Slice", {value, "one", "last", "one"}); },
        [&] { return Make("Reshape", {value, "last"}); },
        [&] { return Make("ReduceSum", {value, "one"}); },
        [&] { return Make("ArgMax", {value}, {{"axis", int64_t{1}}}); },
    };
    return ways[static_cast<size_t>(Below(static_cast<int64_t>(ways.size())))]();
  }

  std::mt19937 random_;
  ModelMaker model_{17};
  std::vector<std::string> values_;
  std::set<std::string> scalars_;
  int next_ = 0;
};

TEST(OnnxRanged, RandomGraphsAreEqualToFixedOnes) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const bool batches = seed % 2 == 0;
    std::map<std::string, DimRange> ranges = {{"seq", {2, 7}}};
    if (batches) ranges["batch"] = {1, 3};
    const std::vector<Extents> runs = {
        {{"seq", 2}, {"batch", 1}}, {{"seq", 5}, {"batch", batches ? 2 : 1}}, {{"seq", 7}, {"batch", batches ? 3 : 1}}};
    ExpectEqualToFixed(RangedDraw(seed).Model(), ranges, runs);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace hone

#include "tests/compiler/frontend/ranged_draw.h"

#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "core/tensor.h"
#include "tests/compiler/frontend/model_maker.h"

namespace hone {
namespace {

using Ints = std::vector<int64_t>;
constexpr int64_t kWidth = 4, kChannels = 16;

class SequenceDraw {
 public:
  explicit SequenceDraw(unsigned seed) : random_(seed) {}

  std::string Model() {
    model_.Input("x", {-1, -1, kWidth})
        .Input("memory", {-1, -1, kWidth})
        .Ints("zero", {0})
        .Ints("one", {1})
        .Ints("last", {-1})
        .Ints("rows", {-1, kWidth});
    for (int input = 0; input < 2; ++input) {
      auto* shape = model_.graph().mutable_input(input)->mutable_type()->mutable_tensor_type()->mutable_shape();
      shape->mutable_dim(0)->set_dim_param("batch");
      shape->mutable_dim(1)->set_dim_param(input == 0 ? "seq" : "keys");
    }
    model_.Weight("step", {}, {0.02F}).Integers("middle", 2, {}, {128}).Integers("zero8", 3, {}, {0});
    DrawBytes("bytes", {kWidth, kWidth});
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

  void DrawBytes(const std::string& name, const Ints& dims) {
    std::vector<int> values(static_cast<size_t>(ElementCount(dims)));
    for (int& value : values) value = static_cast<int>(Below(51)) - 25;
    model_.Integers(name, 3, dims, values);
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
        [&] {
          const std::string products = Make("MatMul", {Any(), Turned("memory")});
          return Make("MatMul", {Make("Softmax", {products}, {{"axis", int64_t{-1}}}), "memory"});
        },
        [&] {
          const std::string rounded = Make("QuantizeLinear", {Make("Tanh", {Any()}), "step", "middle"});
          return Make("MatMul", {Make("DequantizeLinear", {rounded, "step", "middle"}),
                                 Make("DequantizeLinear", {"bytes", "step", "zero8"})});
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

// Values of batch x 16 x height x width, which nets of pictures make.
class PictureDraw {
 public:
  explicit PictureDraw(unsigned seed) : random_(seed) {}

  std::string Model() {
    model_.Input("x", {-1, kChannels, -1, -1});
    auto* shape = model_.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
    shape->mutable_dim(0)->set_dim_param("batch");
    shape->mutable_dim(2)->set_dim_param("height");
    shape->mutable_dim(3)->set_dim_param("width");
    Weight("taps", {kChannels, kChannels, 3, 3});
    Weight("point", {kChannels, kChannels, 1, 1});
    Weight("both", {kChannels, 2 * kChannels, 1, 1});
    Weight("alone", {kChannels, 1, 3, 3});
    Weight("wide", {kChannels, kChannels, 5, 5});
    Weight("mix", {kChannels, kChannels});
    Weight("bias", {kChannels});
    model_.Ints("flat", {0, kChannels, -1}).Weight("scales", {4}, {1, 1, 2, 2});
    values_ = {"x"};
    for (int i = 0; i < 6; ++i) values_.push_back(Draw());
    model_.Output(values_.back()).Output(Tail(values_.back()));
    return model_.Bytes();
  }

 private:
  using Attributes = std::vector<std::pair<std::string, TestAttribute>>;
  int64_t Below(int64_t n) { return static_cast<int64_t>(random_()) % n; }
  std::string Any() { return values_[static_cast<size_t>(Below(static_cast<int64_t>(values_.size())))]; }

  void Weight(const std::string& name, const Ints& dims) {
    std::vector<float> values(static_cast<size_t>(ElementCount(dims)));
    for (float& value : values) value = static_cast<float>(Below(1001)) / 5000 - 0.1F;
    model_.Weight(name, dims, values);
  }

  std::string Make(const std::string& op, const std::vector<std::string>& inputs, const Attributes& attributes = {}) {
    const std::string name = "v" + std::to_string(next_++);
    model_.Node(op, inputs, {name}, attributes);
    return name;
  }

  std::string Draw() {
    const Attributes same = {{"pads", Ints{1, 1, 1, 1}}},
                     pool = {{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}};
    const Attributes depthwise = {{"pads", Ints{1, 1, 1, 1}}, {"group", kChannels}};
    switch (Below(11)) {
      case 0:
        return Make("Relu", {Make("Conv", {Any(), "taps", "bias"}, same)});
      case 1:
        return Make("Conv", {Any(), "point", "bias"});
      case 2:
        return Make("Conv", {Any(), "alone"}, depthwise);
      case 3:
        return Make(Below(2) == 0 ? "MaxPool" : "AveragePool", {Any()}, pool);
      case 4:
        return Make("Add", {Any(), Any()});
      case 5:
        return Make("Conv", {Make("Concat", {Any(), Any()}, {{"axis", int64_t{1}}}), "both"});
      case 6: {
        const std::string value = Any();
        return Make("Mul", {value, Make("Sigmoid", {Make("GlobalAveragePool", {value})})});
      }
      case 7: {
        const std::string value = Any();
        return Make("Mul", {value, Make("Softmax", {value}, {{"axis", int64_t{Below(2) + 2}}})});
      }
      case 8:
        return Make("Conv", {Any(), "wide"}, {{"pads", Ints{4, 1, 4, 3}}, {"dilations", Ints{2, 1}}});
      case 9: {
        const std::string value = Any(), pixels = Turned(Make("Reshape", {value, "flat"}));
        return Make("Reshape",
                    {Turned(Make("Add", {pixels, Make("MatMul", {pixels, "mix"})})), Make("Shape", {value})});
      }
      default:
        return Make("Sigmoid", {Any()});
    }
  }

  std::string Turned(const std::string& value) { return Make("Transpose", {value}, {{"perm", Ints{0, 2, 1}}}); }

  // Two strides in a row, and two uses of a value that read different parts of it.
  std::string Halved(const std::string& value) {
    const Attributes windows = {{"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}},
                     points = {{"strides", Ints{2, 2}}};
    const std::string sum =
        Make("Add", {Make("Conv", {value, "taps"}, windows), Make("Conv", {value, "point"}, points)});
    const std::string next = Make("Conv", {Make("Relu", {sum}), "taps"}, {{"pads", Ints{1, 1, 1, 1}}});
    return Make("Conv", {next, "wide"}, {{"pads", Ints{2, 2, 2, 2}}, {"strides", Ints{2, 1}}});
  }

  // A last value of other sides.
  std::string Tail(const std::string& value) {
    switch (Below(8)) {
      case 0:
        return Make("Conv", {value, "taps"}, {{"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}});
      case 1:
        return Make("MaxPool", {value}, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}});
      case 2:
        return Make("Resize", {value, "", "scales"},
                    {{"mode", std::string("nearest")},
                     {"coordinate_transformation_mode", std::string("asymmetric")},
                     {"nearest_mode", std::string("floor")}});
      case 3:
        return Make("Transpose", {value}, {{"perm", Ints{0, 2, 3, 1}}});
      case 4:
        return Turned(Make("Reshape", {value, "flat"}));
      case 5:
        return Halved(value);
      case 6: {
        const std::string larger = Make("ConvTranspose", {value, "taps"}, {{"strides", Ints{2, 2}}});
        return Make("DepthToSpace", {larger}, {{"blocksize", int64_t{2}}});
      }
      default:
        return Make("GlobalMaxPool", {value});
    }
  }

  std::mt19937 random_;
  ModelMaker model_{17};
  std::vector<std::string> values_;
  int next_ = 0;
};

}  // namespace

std::string DrawSequenceModel(unsigned seed) { return SequenceDraw(seed).Model(); }

std::string DrawPictureModel(unsigned seed) { return PictureDraw(seed).Model(); }

}  // namespace hone

#include "tests/compiler/frontend/resnet50_model.h"

namespace hone {
namespace {

class Maker {
 public:
  std::string Conv(const std::string& x, int64_t in, int64_t out, int64_t kernel, int64_t stride) {
    const std::string name = Name("conv");
    model.Filled(name + ".weight", {out, in, kernel, kernel}, 0).Filled(name + ".bias", {out}, 0);
    const int64_t pad = kernel / 2;
    model.Node("Conv", {x, name + ".weight", name + ".bias"}, {name},
               {{"kernel_shape", std::vector<int64_t>{kernel, kernel}},
                {"strides", std::vector<int64_t>{stride, stride}},
                {"pads", std::vector<int64_t>(4, pad)},
                {"dilations", std::vector<int64_t>{1, 1}},
                {"group", int64_t{1}}});
    return name;
  }

  std::string Unary(const std::string& op, const std::string& x) {
    const std::string name = Name(op);
    model.Node(op, {x}, {name});
    return name;
  }

  std::string Bottleneck(const std::string& x, int64_t in, int64_t middle, int64_t stride) {
    std::string y = Unary("Relu", Conv(x, in, middle, 1, 1));
    y = Unary("Relu", Conv(y, middle, middle, 3, stride));
    y = Conv(y, middle, 4 * middle, 1, 1);
    const std::string shortcut = in == 4 * middle ? x : Conv(x, in, 4 * middle, 1, stride);
    const std::string sum = Name("Add");
    model.Node("Add", {y, shortcut}, {sum});
    return Unary("Relu", sum);
  }

  ModelMaker model;

 private:
  std::string Name(const std::string& kind) { return kind + "_" + std::to_string(count_++); }
  int count_ = 0;
};

}  // namespace

ModelMaker MakeResnet50(int64_t width) {
  Maker maker;
  maker.model.Input("input", {1, 3, 224, 224});
  std::string x = maker.Unary("Relu", maker.Conv("input", 3, 64 / width, 7, 2));
  maker.model.Node("MaxPool", {x}, {"pool"},
                   {{"kernel_shape", std::vector<int64_t>{3, 3}},
                    {"strides", std::vector<int64_t>{2, 2}},
                    {"pads", std::vector<int64_t>(4, 1)}});
  x = "pool";
  int64_t channels = 64 / width;
  const int64_t units[] = {3, 4, 6, 3};
  for (int64_t stage = 0; stage < 4; ++stage) {
    const int64_t middle = (64 << stage) / width;
    for (int64_t unit = 0; unit < units[stage]; ++unit) {
      x = maker.Bottleneck(x, channels, middle, stage > 0 && unit == 0 ? 2 : 1);
      channels = 4 * middle;
    }
  }
  x = maker.Unary("Flatten", maker.Unary("GlobalAveragePool", x));
  maker.model.Filled("fc.weight", {1000, channels}, 0).Filled("fc.bias", {1000}, 0);
  maker.model.Node("Gemm", {x, "fc.weight", "fc.bias"}, {"output"}, {{"transB", int64_t{1}}}).Output("output");
  return maker.model;
}

}  // namespace hone

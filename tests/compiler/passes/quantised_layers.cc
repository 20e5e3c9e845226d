#include "tests/compiler/passes/quantised_layers.h"

#include "compiler/passes/fusion/fuse.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/quantised/quantised_passes.h"
#include "compiler/relay/infer_type.h"
#include "core/random.h"

namespace hone::testing {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;

ExprPtr WholeConstant(const Shape& shape, int most, uint64_t seed) {
  Tensor tensor(DType::kFloat32, shape);
  Random random(seed);
  const uint64_t values = 2 * static_cast<uint64_t>(most) + 1;
  for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, static_cast<double>(random.Below(values)) - most);
  return relay::MakeConstant(tensor);
}

ExprPtr BackAndForth(const ExprPtr& real, float scale, float zero) {
  const ExprPtr whole = MakeCall("round", {MakeCall("divide", {real, ScalarConstant(scale)})});
  const ExprPtr held =
      MakeCall("clip", {MakeCall("add", {whole, ScalarConstant(zero)})}, {{"a_min", 0.0}, {"a_max", 255.0}});
  const ExprPtr bytes = MakeCall("cast", {held}, {{"dtype", std::string("uint8")}});
  const ExprPtr back = MakeCall("cast", {bytes}, {{"dtype", std::string("float32")}});
  return MakeCall("multiply", {MakeCall("subtract", {back, ScalarConstant(zero)}), ScalarConstant(scale)});
}

ExprPtr QuantisedConv(const ExprPtr& data, int64_t in, int64_t out, int64_t kernel, uint64_t seed, int64_t groups) {
  Tensor scales(DType::kFloat32, {out, 1, 1, 1});
  for (int64_t o = 0; o < out; ++o) scales.Set(o, 0.002 * static_cast<double>(o % 5 + 1));
  const ExprPtr weight =
      MakeCall("multiply", {WholeConstant({out, in / groups, kernel, kernel}, 100, seed), relay::MakeConstant(scales)});
  const int64_t pad = kernel / 2;
  return MakeCall("nn.conv2d", {data, weight},
                  {{"padding", std::vector<int64_t>{pad, pad, pad, pad}},
                   {"channels", out},
                   {"groups", groups},
                   {"kernel_size", std::vector<int64_t>{kernel, kernel}}});
}

IRModule Lifted(const ExprPtr& body) { return relay::InferType(LiftScales(relay::InferType(ModuleOf(body)))); }
IRModule Stored(const IRModule& lifted) { return relay::InferType(StoreBytes(lifted)); }

std::vector<std::string> Anchors(const IRModule& module) {
  std::vector<std::string> texts;
  for (const ExprPtr& expr : PostOrder(Fuse(module).main->body)) {
    const relay::Call* call = relay::AsCall(expr);
    const Anchor* anchor = call ? AnchorOf(*relay::AsFunction(call->op)) : nullptr;
    if (anchor == nullptr) continue;
    const ElementTypes& types = anchor->workload.types;
    const bool bytes = types == ByteTypes(types.output), pairs = types == BytePairTypes(types.output);
    texts.push_back((bytes   ? "bytes to "
                     : pairs ? "pairs to "
                             : "floats to ") +
                    std::string(DTypeName(types.output)) + ": " + anchor->epilogue.ToText());
  }
  return texts;
}

}  // namespace hone::testing

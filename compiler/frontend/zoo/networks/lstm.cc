#include <fmt/format.h>

#include "compiler/frontend/zoo/zoo_builder.h"
#include "compiler/frontend/zoo/zoo_networks.h"
#include "core/error.h"

namespace hone {
namespace {

using relay::ExprPtr;

ExprPtr Both(const char* op, const ExprPtr& a, const ExprPtr& b) { return relay::MakeCall(op, {a, b}); }

// The state that a step hands to the next one.
struct State {
  ExprPtr hidden, cell;
};

// Gates in the order in, forget, transform, out.
State LstmStep(ZooBuilder& net, const ExprPtr& inputs, const State& state, int64_t step, int64_t units) {
  const ExprPtr of_inputs = net.Dense(inputs, fmt::format("i2h_{}", step), 4 * units);
  const ExprPtr of_state = net.Dense(state.hidden, fmt::format("h2h_{}", step), 4 * units);
  const ExprPtr gates = net.Call("split", Both("add", of_inputs, of_state),
                                 {{"indices_or_sections", std::vector<int64_t>{4}}, {"axis", int64_t{1}}});
  const auto gate = [&](const char* activation, int number) {
    return net.Call(activation, relay::MakeTupleGetItem(gates, number));
  };
  const ExprPtr in = gate("sigmoid", 0), forget = gate("sigmoid", 1), transform = gate("tanh", 2);
  const ExprPtr out = gate("sigmoid", 3);
  const ExprPtr cell = Both("add", Both("multiply", forget, state.cell), Both("multiply", in, transform));
  return {Both("multiply", out, net.Call("tanh", cell)), cell};
}

}  // namespace

relay::IRModule BuildLstm(const ZooOptions& options) {
  constexpr int64_t kMostSteps = 1024;
  if (options.image_shape.size() != 3 || options.image_shape[0] != 1 || options.image_shape[1] > kMostSteps) {
    throw Error(ExitCode::kUsage, fmt::format("lstm is to take {}; 1,STEPS,UNITS is right, of {} steps at most",
                                              ShapeText(options.image_shape), kMostSteps));
  }
  const int64_t steps = options.image_shape[1], units = options.image_shape[2];
  const relay::TypePtr type = relay::TensorType({options.batch, units});
  ZooBuilder net(options, type, "inputs_0");
  const ExprPtr zeros = relay::MakeConstant(Tensor(DType::kFloat32, {options.batch, units}));
  State state{zeros, zeros};
  for (int64_t step = 0; step < steps; ++step) {
    const ExprPtr inputs = step == 0 ? net.data() : net.Input(fmt::format("inputs_{}", step), type);
    state = LstmStep(net, inputs, state, step, units);
  }
  return net.Finish(state.hidden);
}

}  // namespace hone

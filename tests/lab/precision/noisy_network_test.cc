#include "lab/precision/noisy_network.h"

#include <gtest/gtest.h>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/infer_type.h"
#include "lab/machine/machine.h"

namespace hone {
namespace {

using relay::ExprPtr;

// y = relu(x w') v', with an intermediate value to which noise can be added.
class NoisyNetworkTest : public testing::Test {
 protected:
  NoisyNetworkTest() {
    const auto x = std::make_shared<relay::Var>("x", relay::TensorType({1, 2}));
    const ExprPtr w = relay::MakeConstant(Row({1, 2, 3, -4}, {2, 2}));
    const ExprPtr v = relay::MakeConstant(Row({10, 100}, {1, 2}));
    const ExprPtr hidden = relay::MakeCall("nn.relu", {relay::MakeCall("nn.dense", {x, w})});
    relay::IRModule module;
    module.main = std::make_shared<relay::Function>(std::vector<std::shared_ptr<const relay::Var>>{x},
                                                    relay::MakeCall("nn.dense", {hidden, v}));
    typed_ = relay::InferType(module);
    y_ = typed_.main->body;
    hidden_ = relay::AsCall(y_)->args[0];
  }

  static Tensor Row(const std::vector<float>& values, const Shape& shape) {
    return Tensor::FromVector<float>(DType::kFloat32, shape, values);
  }
  static BuildContext Here() {
    MachineOptions options;
    options.threads = 1;
    return ResolveMachine(options).context;
  }
  static float Run(NoisyNetwork& network, const Noise& noise) { return network.Run(noise).at(0).data<float>()[0]; }

  relay::IRModule typed_;
  ExprPtr y_, hidden_;
};

// x = (1, 1): hidden = relu(3, -1) = (3, 0), y = 30.
TEST_F(NoisyNetworkTest, AnErrorAtAValueGoesThroughAllThatIsBehindIt) {
  NoisyNetwork network(typed_, {hidden_, y_}, Here());
  network.SetInputs({{"x", Row({1, 1}, {1, 2})}});
  EXPECT_FLOAT_EQ(Run(network, {}), 30);
  EXPECT_FLOAT_EQ(Run(network, {{0, Row({1, 0.5F}, {1, 2})}}), 90);
  EXPECT_FLOAT_EQ(Run(network, {{1, Row({7}, {1, 1})}}), 37);
  EXPECT_FLOAT_EQ(Run(network, {{0, Row({1, 0.5F}, {1, 2})}, {1, Row({7}, {1, 1})}}), 97);
}

TEST_F(NoisyNetworkTest, AnErrorAffectsOneRun) {
  NoisyNetwork network(typed_, {hidden_}, Here());
  network.SetInputs({{"x", Row({1, 1}, {1, 2})}});
  EXPECT_FLOAT_EQ(Run(network, {{0, Row({1, 1}, {1, 2})}}), 140);
  EXPECT_FLOAT_EQ(Run(network, {}), 30);
  network.SetInputs({{"x", Row({2, 0}, {1, 2})}});
  EXPECT_FLOAT_EQ(Run(network, {}), 620);
}

// x = (2, 0): hidden = (2, 6).
TEST_F(NoisyNetworkTest, AValueThatNothingReadsMovesNothing) {
  const ExprPtr apart = relay::AsCall(relay::InferType(typed_).main->body)->args[0];
  const ExprPtr stranger = TypedCall("nn.relu", {apart});
  NoisyNetwork network(typed_, {stranger, hidden_}, Here());
  network.SetInputs({{"x", Row({2, 0}, {1, 2})}});
  EXPECT_FLOAT_EQ(Run(network, {{0, Row({1, 1}, {1, 2})}}), 620);
  EXPECT_FLOAT_EQ(Run(network, {{1, Row({1, 1}, {1, 2})}}), 730);
}

}  // namespace
}  // namespace hone

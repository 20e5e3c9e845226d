// Recurrent cells with values worked out by hand: one unit, so a weight is one number.
#include <gmock/gmock.h>

#include <cmath>

#include "compiler/ops/recurrent/op_cell.h"
#include "tests/compiler/relay/run_op.h"

namespace hone::relay {
namespace {

using testing::HasSubstr;

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// The weight of `gates` numbers per direction for one unit, as nn.recurrent packs it.
Tensor Packed(const std::vector<float>& gates, int64_t directions = 1) {
  const auto count = static_cast<int64_t>(gates.size()) / directions;
  Tensor weight(DType::kFloat32, {directions, 1, 1, count, kRecurrentBlock});
  for (size_t i = 0; i < gates.size(); ++i) weight.Set(static_cast<int64_t>(i) * kRecurrentBlock, gates[i]);
  return weight;
}

Attrs Of(const std::string& cell, const std::string& activations, const Attrs& more = {}) {
  Attrs attrs{{"cell", cell}, {"activations", activations}};
  for (const auto& [name, value] : more.values()) attrs.Set(name, value);
  return attrs;
}

TEST(Recurrent, PlainCellsFeedTheirStateBack) {
  const auto results = RunOp("nn.recurrent", {Floats({3, 1, 1, 1}, {1, 2, 3}), Packed({0.5F}), Floats({1, 1, 1}, {4})},
                             Of("rnn", "affine(1,0)"));
  EXPECT_THAT(Values(results[0]), Near({3, 3.5, 4.75}));
  EXPECT_THAT(Values(results[1]), Near({4.75}));
}

TEST(Recurrent, GoesBackwardsAndBothWays) {
  const auto reverse = RunOp("nn.recurrent", {Floats({2, 1, 1, 1}, {1, 2}), Packed({0.5F}), Floats({1, 1, 1}, {0})},
                             Of("rnn", "relu", {{"direction", std::string("reverse")}}));
  EXPECT_THAT(Values(reverse[0]), Near({2, 2}));
  const auto both =
      RunOp("nn.recurrent", {Floats({2, 1, 2, 1}, {1, 10, 2, 20}), Packed({0.5F, 2}, 2), Floats({2, 1, 1}, {0, 0})},
            Of("rnn", "relu affine(1,1)", {{"direction", std::string("bidirectional")}}));
  EXPECT_THAT(Values(both[0]), Near({1, 53, 2.5, 21}));
  EXPECT_THAT(Values(both[1]), Near({2.5, 53}));
}

TEST(Recurrent, RowsEndAtTheirLengths) {
  Tensor lengths(DType::kInt32, {3});
  lengths.Set(0, 2);
  lengths.Set(1, 0);
  lengths.Set(2, 99);
  for (const std::string direction : {"forward", "reverse"}) {
    const auto results =
        RunOp("nn.recurrent",
              {Floats({3, 3, 1, 1}, {1, 1, 1, 2, 2, 2, 3, 3, 3}), Packed({1}), Floats({1, 3, 1}, {0, 7, 0}), lengths},
              Of("rnn", "relu", {{"lengths", true}, {"direction", direction}}));
    const bool forward = direction == "forward";
    EXPECT_THAT(Values(results[0]), forward ? Near({1, 0, 1, 3, 0, 3, 0, 0, 6}) : Near({3, 0, 6, 2, 0, 5, 0, 0, 3}));
    EXPECT_THAT(Values(results[1]), Near({3, 7, 6}));
  }
}

TEST(Recurrent, LstmGatesAreInOutForgetCell) {
  const Tensor data = Floats({1, 1, 1, 4}, {0.1F, 0.2F, 0.3F, 0.4F}), weight = Packed({1, 2, 3, 4});
  const auto results = RunOp("nn.recurrent", {data, weight, Floats({1, 1, 1}, {0.5F}), Floats({1, 1, 1}, {2})},
                             Of("lstm", "sigmoid tanh tanh"));
  const double c = Sigmoid(1.8) * 2 + Sigmoid(0.6) * std::tanh(2.4);
  EXPECT_THAT(Values(results[2]), Near({c}));
  EXPECT_THAT(Values(results[0]), Near({Sigmoid(1.2) * std::tanh(c)}));
  const auto seeing =
      RunOp("nn.recurrent",
            {data, weight, Floats({1, 1, 1}, {0.5F}), Floats({1, 1, 1}, {2}), Floats({1, 3, 1}, {0.1F, 0.2F, 0.3F})},
            Of("lstm", "sigmoid tanh tanh", {{"peepholes", true}, {"clip", 1.0}}));
  const double seen = Sigmoid(1) * 2 + Sigmoid(0.8) * std::tanh(1);
  EXPECT_THAT(Values(seeing[2]), Near({seen}));
  EXPECT_THAT(Values(seeing[0]), Near({Sigmoid(1) * std::tanh(seen)}));
  const auto coupled = RunOp("nn.recurrent", {data, weight, Floats({1, 1, 1}, {0.5F}), Floats({1, 1, 1}, {2})},
                             Of("lstm", "sigmoid tanh tanh", {{"input_forget", true}}));
  EXPECT_THAT(Values(coupled[2]), Near({(1 - Sigmoid(0.6)) * 2 + Sigmoid(0.6) * std::tanh(2.4)}));
}

TEST(Recurrent, GruResetsBeforeOrAfterTheProduct) {
  const Tensor data = Floats({1, 1, 1, 3}, {0.1F, 0.2F, 0.3F}), weight = Packed({1, 2, 3}),
               hidden = Floats({1, 1, 1}, {0.5F});
  const double z = Sigmoid(0.6), r = Sigmoid(1.2);
  const auto before = RunOp("nn.recurrent", {data, weight, hidden}, Of("gru", "sigmoid tanh"));
  EXPECT_THAT(Values(before[1]), Near({(1 - z) * std::tanh(0.3 + r * 0.5 * 3) + z * 0.5}));
  const auto after =
      RunOp("nn.recurrent", {data, weight, hidden, Floats({1, 1}, {0.7F})}, Of("gru_reset_after", "sigmoid tanh"));
  EXPECT_THAT(Values(after[1]), Near({(1 - z) * std::tanh(0.3 + r * (0.5 * 3 + 0.7)) + z * 0.5}));
}

TEST(Recurrent, RefusesWhatDoesNotFit) {
  const auto type = [](const Shape& shape) { return TensorType(shape); };
  const std::vector<TypePtr> fits{type({2, 3, 1, 20}), type({1, 1, 5, 4, 16}), type({1, 3, 5}), type({1, 3, 5})};
  const Attrs lstm = Of("lstm", "sigmoid tanh tanh");
  EXPECT_EQ(ResultType("nn.recurrent", fits, lstm),
            "(Tensor[(2, 3, 1, 5), float32], Tensor[(1, 3, 5), float32], Tensor[(1, 3, 5), float32])");
  std::vector<TypePtr> wrong = fits;
  wrong[1] = type({1, 1, 5, 3, 16});
  EXPECT_THAT(ResultType("nn.recurrent", wrong, lstm), HasSubstr("it must be 1x1x5x4x16"));
  EXPECT_THAT(ResultType("nn.recurrent", fits, Of("lstm", "sigmoid tanh")), HasSubstr("2 activations, it takes 3"));
  EXPECT_THAT(ResultType("nn.recurrent", fits, Of("lstm", "sigmoid tanh sinus")),
              HasSubstr("\"sinus\" is no function"));
  EXPECT_THAT(ResultType("nn.recurrent", fits, Of("cells", "tanh")), HasSubstr("must be rnn, gru"));
  EXPECT_THAT(ResultType("nn.recurrent", fits, Of("gru", "sigmoid tanh")), HasSubstr("4 arguments, this cell takes 3"));
}

TEST(CellActivation, TextReadsBack) {
  for (const CellFunctionRow& row : CellFunctions()) {
    CellActivation activation{row.function, 0, 0};
    if (row.parameters > 0) activation.alpha = 0.1;
    if (row.parameters > 1) activation.beta = -1e-9;
    const std::string text = CellActivationText(activation);
    EXPECT_EQ(ParseCellActivations(text + " " + text), (std::vector{activation, activation})) << text;
  }
  for (const char* text : {"affine", "affine(1)", "affine(1,2", "affine(1,2,3)", "tanh(1)", "affine(a,b)", " "}) {
    EXPECT_THROW(ParseCellActivations(text), Error) << text;
  }
}

TEST(RecurrentCell, AttributesReadBack) {
  RecurrentCell cell;
  cell.reversed = {false, true};
  cell.activations = ParseCellActivations("sigmoid tanh relu softsign elu(2) affine(0.5,3)");
  cell.clip = 2;
  cell.peepholes = cell.lengths = cell.input_forget = true;
  EXPECT_EQ(ReadRecurrentCell(RecurrentAttrs(cell)), cell);
}

}  // namespace
}  // namespace hone::relay

// Recurrent layers as kernels against their reference: every cell, odd numbers of units and rows, each activation.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "compiler/ops/recurrent/op_cell.h"
#include "tests/compiler/generic/check_function.h"

namespace hone::testing {
namespace {

using relay::CellKind;
using relay::ExprPtr;
using relay::RecurrentCell;

struct Extents {
  int64_t steps = 3, rows = 1, units = 5;
};

RecurrentCell Cell(CellKind kind, std::vector<bool> reversed = {false}) {
  RecurrentCell cell;
  cell.kind = kind;
  cell.reversed = std::move(reversed);
  for (int64_t d = 0; d < cell.directions(); ++d) {
    const auto usual = relay::ParseCellActivations(kind == CellKind::kRnn ? "tanh" : "sigmoid tanh tanh");
    cell.activations.insert(cell.activations.end(), usual.begin(), usual.begin() + cell.functions());
  }
  return cell;
}

// States stay near 1, as trained ones do: with weights of 1 errors would grow at each step.
Tensor Small(const Shape& shape, uint64_t seed, int64_t units) {
  Tensor tensor(DType::kFloat32, shape);
  FillTensor(tensor, Fill::kUniform, seed);
  for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, tensor.At(i) / std::sqrt(static_cast<double>(units)));
  return tensor;
}

// With `state` and `weight` all elements of the first hidden state and of the weight are that.
void Check(const RecurrentCell& cell, const Extents& e, std::optional<double> state = {},
           std::optional<double> weight = {}) {
  SCOPED_TRACE(::testing::Message() << e.steps << " steps, " << e.rows << " rows, " << e.units << " units");
  const int64_t d = cell.directions(), block = relay::kRecurrentBlock, blocks = (e.units + block - 1) / block;
  std::vector<Shape> shapes{
      {e.steps, e.rows, d, cell.gates() * e.units}, {d, blocks, e.units, cell.gates(), block}, {d, e.rows, e.units}};
  if (cell.cell_argument() >= 0) shapes.push_back({d, e.rows, e.units});
  if (cell.bias_argument() >= 0) shapes.push_back({d, e.units});
  if (cell.peepholes) shapes.push_back({d, 3, e.units});
  std::vector<ExprPtr> params;
  std::vector<Tensor> args;
  for (const Shape& shape : shapes) {
    params.push_back(Param("p" + std::to_string(params.size()), shape));
    args.push_back(params.size() == 2 ? Small(shape, 2, e.units) : Filled(*params.back()->type, params.size()));
  }
  if (cell.scales) {
    params[1] = Param("weight", shapes[1], "", DType::kInt8);
    args[1] = Tensor(DType::kInt8, shapes[1]);
    for (int64_t i = 0; i < args[1].elements(); ++i) args[1].Set(i, static_cast<double>(i * 37 % 255 - 127));
    params.push_back(Param("scales", {d, cell.gates() * e.units}));
    args.push_back(Small(params.back()->type->shape, 3, 127 * 127 * e.units));
  }
  if (cell.lengths) {
    params.push_back(Param("lengths", {e.rows}, "", DType::kInt32));
    args.emplace_back(DType::kInt32, Shape{e.rows});
    // Lengths from below 0 to beyond the steps: invalid ones are clamped.
    for (int64_t row = 0; row < e.rows; ++row) args.back().Set(row, static_cast<double>(row - 1));
  }
  for (int64_t i = 0; state && i < args[2].elements(); ++i) args[2].Set(i, *state);
  for (int64_t i = 0; weight && i < args[1].elements(); ++i) args[1].Set(i, *weight);
  CheckFunction(Function(params, relay::MakeCall("nn.recurrent", params, relay::RecurrentAttrs(cell))), args, 5e-6);
}

constexpr CellKind kKinds[] = {CellKind::kRnn, CellKind::kGru, CellKind::kGruResetAfter, CellKind::kLstm};

TEST(RecurrentKernel, ComputesEveryCellWithAnyNumberOfUnits) {
  for (const CellKind kind : kKinds) {
    for (const int64_t units : {1, 15, 16, 33, 67}) Check(Cell(kind), {4, 1, units});
  }
}

TEST(RecurrentKernel, ComputesGroupsOfRows) {
  for (const CellKind kind : kKinds) {
    for (const int64_t rows : {2, 5, 13}) Check(Cell(kind), {3, rows, 19});
  }
}

// With so many units, the weight is used for several groups at a time.
TEST(RecurrentKernel, SharesALargeWeightAmongGroups) {
  Check(Cell(CellKind::kLstm), {2, 27, 300});
  Check(Cell(CellKind::kGru, {true}), {2, 9, 340});
}

TEST(RecurrentKernel, GoesBothWays) {
  for (const CellKind kind : kKinds) {
    Check(Cell(kind, {true}), {5, 2, 9});
    Check(Cell(kind, {false, true}), {5, 7, 18});
  }
}

TEST(RecurrentKernel, HoldsRowsWithinTheirLengths) {
  for (const CellKind kind : kKinds) {
    RecurrentCell cell = Cell(kind, {false, true});
    cell.lengths = true;
    Check(cell, {4, 7, 21});
  }
}

TEST(RecurrentKernel, ClipsCouplesAndSeesTheCell) {
  RecurrentCell cell = Cell(CellKind::kLstm, {false, true});
  cell.peepholes = true;
  Check(cell, {3, 4, 23});
  cell.input_forget = true;
  cell.clip = 0.5;
  Check(cell, {3, 4, 23});
}

TEST(RecurrentKernel, WidensIntegersOfTheWeight) {
  for (const CellKind kind : kKinds) {
    RecurrentCell cell = Cell(kind, {false, true});
    cell.scales = true;
    for (const int64_t units : {1, 16, 37}) Check(cell, {4, 3, units});
    cell.lengths = true;
    Check(cell, {4, 7, 21});
  }
  RecurrentCell cell = Cell(CellKind::kLstm);
  cell.scales = cell.peepholes = true;
  Check(cell, {3, 1, 130});
}

// With such a weight products with zeros would be NaN.
TEST(RecurrentKernel, LeavesOutProductsWithAStateOfZeros) {
  for (const CellKind kind : kKinds) {
    for (const int64_t steps : {1, 3}) {
      RecurrentCell cell = Cell(kind, {false, true});
      cell.zero_state = true;
      const Extents e{steps, 2, 19};
      Check(cell, e, 0);
      if (steps == 1) Check(cell, e, 0, INFINITY);
    }
  }
}

TEST(RecurrentKernel, EndsInEveryFunction) {
  for (const relay::CellFunctionRow& row : relay::CellFunctions()) {
    RecurrentCell cell = Cell(CellKind::kRnn);
    cell.activations = {{row.function, row.parameters > 0 ? 0.4 : 0, row.parameters > 1 ? 0.3 : 0}};
    Check(cell, {3, 2, 18});
  }
}

}  // namespace
}  // namespace hone::testing

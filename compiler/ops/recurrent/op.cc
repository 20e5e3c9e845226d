// Recurrent layers: LSTM, GRU and the plain RNN.
//
// The data is W x + b of all steps, computed before as one product of many rows. This operator does the sequence of
// steps and their products with the state.
#include <fmt/format.h>

#include "compiler/ops/op_families.h"
#include "compiler/ops/recurrent/op_cell.h"
#include "compiler/ops/recurrent/op_reference.h"
#include "compiler/relay/arguments.h"

namespace hone::relay {
namespace {

using Types = std::vector<TypePtr>;

void RequireShape(const Types& args, int at, const char* what, const Shape& wanted) {
  if (at < 0) return;
  const Type& type = TensorArg(args, static_cast<size_t>(at), what, static_cast<int>(wanted.size()));
  if (type.shape == wanted && type.layout.empty()) return;
  Misfit(fmt::format("{} is {}, it must be {}", what, ToText(args[static_cast<size_t>(at)]), ShapeText(wanted)));
}

// The weight is int8 if each column has a scale.
void RequireWeight(const Types& args, const RecurrentCell& cell, const Shape& wanted) {
  RequireShape(args, 1, "weight", wanted);
  const DType stored = cell.scales ? DType::kInt8 : DType::kFloat32;
  if (args[1]->dtype == stored) return;
  Misfit(fmt::format("weight is {}, {} scales it must be {}", DTypeName(args[1]->dtype),
                     cell.scales ? "with" : "without", DTypeName(stored)));
}

// Indices in the row's list of inputs.
std::vector<int> GivenInputs(const Attrs& attrs) {
  const RecurrentCell cell = ReadRecurrentCell(attrs);
  std::vector<int> given{0, 1, 2};
  if (cell.cell_argument() >= 0 || cell.bias_argument() >= 0) given.push_back(3);
  if (cell.peepholes) given.push_back(4);
  if (cell.scales) given.push_back(5);
  if (cell.lengths) given.push_back(6);
  return given;
}

TypePtr RecurrentType(const Types& args, const Attrs& attrs) {
  const RecurrentCell cell = ReadRecurrentCell(attrs);
  if (static_cast<int>(args.size()) != cell.arguments()) {
    Misfit(fmt::format("{} arguments, this cell takes {}", args.size(), cell.arguments()));
  }
  const Shape data = TensorArg(args, 0, "data", 4).shape, state = TensorArg(args, 2, "hidden", 3).shape;
  for (const Shape* shape : {&data, &state}) {
    for (const int64_t dim : *shape) {
      if (dim < 1) Misfit(fmt::format("{} has a dim that is not known, or 0", ShapeText(*shape)));
    }
  }
  const int64_t rows = data[1], units = state[2], blocks = (units + kRecurrentBlock - 1) / kRecurrentBlock;
  RequireShape(args, 0, "data", {data[0], rows, cell.directions(), cell.gates() * units});
  RequireWeight(args, cell, {cell.directions(), blocks, units, cell.gates(), kRecurrentBlock});
  RequireShape(args, 2, "hidden", {cell.directions(), rows, units});
  RequireShape(args, cell.cell_argument(), "cell", state);
  RequireShape(args, cell.bias_argument(), "bias", {cell.directions(), units});
  RequireShape(args, cell.peepholes_argument(), "peepholes", {cell.directions(), 3, units});
  RequireShape(args, cell.scales_argument(), "scales", {cell.directions(), cell.gates() * units});
  RequireShape(args, cell.lengths_argument(), "lengths", {rows});
  Types fields{TensorType({data[0], rows, cell.directions(), units}), TensorType(state)};
  if (cell.cell_argument() >= 0) fields.push_back(TensorType(state));
  return TupleType(std::move(fields));
}

}  // namespace

OpTable RecurrentOps() {
  OpDef def;
  def.name = "nn.recurrent";
  def.description = "the steps of an LSTM, GRU or RNN: the states of all steps, the last one, and an LSTM's last cell";
  def.inputs = {
      {"data", "(steps, rows, directions, gates * units): W x + b of every step; gates i o f c, z r h, or one",
       kKernelFloat},
      {"weight", "(directions, blocks, units, gates, 16): 16 outputs of every gate side by side, zeros past the last",
       kKernelFloat | DType::kInt8},
      {"hidden", "(directions, rows, units): the state before the first step", kKernelFloat},
      {"cell", "of lstm: the same for the cell; of gru_reset_after (directions, units): what is added to R h",
       kKernelFloat},
      {"peepholes", "where the attribute says so, (directions, 3, units): of the gates i, o, f", kKernelFloat},
      {"scales",
       "where the attribute says so, (directions, gates * units): what an integer of the int8 weight stands for",
       kKernelFloat},
      {"lengths", "where the attribute says so, (rows): steps of each row; the states after them are 0",
       DType::kInt32}};
  def.results = {{"states", kKernelFloat}, {"hidden", kKernelFloat}, {"cell", kKernelFloat}};
  def.given_inputs = GivenInputs;
  def.optional_inputs = 4;
  def.attrs = {
      {"cell", AttrKind::kString, std::string("lstm"), "rnn, gru, gru_reset_after or lstm"},
      {"direction", AttrKind::kString, std::string("forward"), "forward, reverse or bidirectional"},
      {"activations", AttrKind::kString, std::string(), "for each direction f, of a gru g, of an lstm g and h"},
      {"clip", AttrKind::kFloat, 0.0, "what gates' functions read is held within +-clip; 0 means it is not"},
      {"input_forget", AttrKind::kBool, false, "the forget gate is 1 - the input gate"},
      {"peepholes", AttrKind::kBool, false, "whether gates see the cell"},
      {"scales", AttrKind::kBool, false, "whether the weight is int8, each of its outputs with a scale"},
      {"lengths", AttrKind::kBool, false, "whether rows have lengths of their own"}};
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  def.type_relation = RecurrentType;
  def.reference = RecurrentReference;
  return {def};
}

}  // namespace hone::relay

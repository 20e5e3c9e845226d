// Recurrent layers: LSTM, GRU and the plain RNN, whose products with the inputs are computed before.
//
// The data holds W x + b of every step, so that one product of many rows makes them; the steps that follow each other,
// and their products with the state, are this operator's.
#include <fmt/format.h>

#include "compiler/relay/ops/arguments.h"
#include "compiler/relay/ops/ops.h"
#include "compiler/relay/ops/recurrent_reference.h"
#include "compiler/relay/recurrent_cell.h"

namespace hone::relay {
namespace {

using Types = std::vector<TypePtr>;

void RequireShape(const Types& args, int at, const char* what, const Shape& wanted) {
  if (at < 0) return;
  const Type& type = FloatArg(args, static_cast<size_t>(at), what, static_cast<int>(wanted.size()));
  if (type.shape == wanted && type.layout.empty()) return;
  Misfit(fmt::format("{} is {}, it must be {}", what, ToText(args[static_cast<size_t>(at)]), ShapeText(wanted)));
}

// Floats, or int8 where each column has a scale.
void RequireWeight(const Types& args, const RecurrentCell& cell, const Shape& wanted) {
  if (!cell.scales) return RequireShape(args, 1, "weight", wanted);
  const Type& type = RowMajorArg(args, 1, "weight", static_cast<int>(wanted.size()));
  if (type.dtype == DType::kInt8 && type.shape == wanted) return;
  Misfit(fmt::format("weight is {}, it must be {} of int8", ToText(args[1]), ShapeText(wanted)));
}

void RequireLengths(const Types& args, int at, int64_t rows) {
  if (at < 0) return;
  const Type& type = RowMajorArg(args, static_cast<size_t>(at), "lengths", 1);
  if (type.dtype == DType::kInt32 && type.shape[0] == rows) return;
  Misfit(fmt::format("lengths is {}, it must be {} of int32", ToText(args[static_cast<size_t>(at)]), rows));
}

TypePtr RecurrentType(const Types& args, const Attrs& attrs) {
  const RecurrentCell cell = ReadRecurrentCell(attrs);
  if (static_cast<int>(args.size()) != cell.arguments()) {
    Misfit(fmt::format("{} arguments, this cell takes {}", args.size(), cell.arguments()));
  }
  const Shape data = FloatArg(args, 0, "data", 4).shape, state = FloatArg(args, 2, "hidden", 3).shape;
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
  RequireLengths(args, cell.lengths_argument(), rows);
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
      {"data", "(steps, rows, directions, gates * units): W x + b of every step; gates i o f c, z r h, or one"},
      {"weight", "(directions, blocks, units, gates, 16): 16 outputs of every gate side by side, zeros past the last"},
      {"hidden", "(directions, rows, units): the state before the first step"},
      {"cell", "of lstm: the same for the cell; of gru_reset_after (directions, units): what is added to R h"},
      {"peepholes", "where the attribute says so, (directions, 3, units): of the gates i, o, f"},
      {"scales",
       "where the attribute says so, (directions, gates * units): what an integer of the int8 weight stands for"},
      {"lengths", "where the attribute says so, (rows) of int32: steps of each row; the states after them are 0"}};
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

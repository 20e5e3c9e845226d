// Recurrent layers: LSTM, GRU and the plain RNN.
//
// The data is W x + b of all steps, computed before as one product of many rows. This operator does the sequence of
// steps and their products with the state.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "compiler/ops/op_families.h"
#include "compiler/ops/recurrent/op_cell.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/attrs.h"
#include "core/nth.h"
#include "core/tensor.h"
#include "core/text/printable.h"

namespace hone::relay {
namespace {

using Doubles = std::vector<double>;

// One sequence in one direction.
class Run {
 public:
  Run(const std::vector<Tensor>& args, const RecurrentCell& cell, int64_t direction, int64_t row)
      : args_(args),
        cell_(cell),
        direction_(direction),
        row_(row),
        steps_(args[0].shape()[0]),
        rows_(args[0].shape()[1]),
        units_(args[2].shape()[2]),
        hidden_(Row(args[2])),
        memory_(cell.cell_argument() >= 0 ? Row(Nth(args, cell.cell_argument())) : Doubles()) {}

  void Into(std::vector<Tensor>& results) {
    int64_t length = steps_;
    if (const int at = cell_.lengths_argument(); at >= 0) {
      length = std::clamp<int64_t>(static_cast<int64_t>(Nth(args_, at).At(row_)), 0, steps_);
    }
    for (int64_t step = 0; step < length; ++step) {
      const int64_t time = Nth(cell_.reversed, direction_) ? length - 1 - step : step;
      is_first_ = step == 0;
      Step(time);
      for (int64_t j = 0; j < units_; ++j) results[0].Set(Place(time) * units_ + j, Nth(hidden_, j));
    }
    for (int64_t j = 0; j < units_; ++j) {
      results[1].Set((direction_ * rows_ + row_) * units_ + j, Nth(hidden_, j));
      if (!memory_.empty()) results[2].Set((direction_ * rows_ + row_) * units_ + j, Nth(memory_, j));
    }
  }

 private:
  Doubles Row(const Tensor& states) const {
    Doubles row;
    for (int64_t j = 0; j < units_; ++j) row.push_back(states.At((direction_ * rows_ + row_) * units_ + j));
    return row;
  }
  // The index of this direction's row at a time.
  int64_t Place(int64_t time) const { return (time * rows_ + row_) * cell_.directions() + direction_; }
  double Data(int64_t time, int64_t gate, int64_t unit) const {
    return args_[0].At((Place(time) * cell_.gates() + gate) * units_ + unit);
  }
  double Peephole(int64_t gate, int64_t unit) const {
    const int at = cell_.peepholes_argument();
    return at < 0 ? 0 : Nth(args_, at).At((direction_ * 3 + gate) * units_ + unit);
  }
  double Apply(int64_t function, double x) const {
    return CellActivationOf(cell_.Function(direction_, function), x < -cell_.clip  ? -cell_.clip
                                                                  : x > cell_.clip ? cell_.clip
                                                                                   : x);
  }

  // Row `gate` x units_ of the weight, times a state.
  Doubles Product(int64_t gate, const Doubles& state) const {
    if (cell_.zero_state && is_first_) return Doubles(static_cast<size_t>(args_[1].shape()[1] * kRecurrentBlock));
    if (!cell_.scales) return Sums(args_[1].data<float>(), gate, state);
    Doubles sums = Sums(args_[1].data<int8_t>(), gate, state);
    const Tensor& scales = Nth(args_, cell_.scales_argument());
    for (int64_t j = 0; j < units_; ++j) Nth(sums, j) *= scales.At((direction_ * cell_.gates() + gate) * units_ + j);
    return sums;
  }

  template <typename Element>
  Doubles Sums(const Element* weight, int64_t gate, const Doubles& state) const {
    const int64_t gates = cell_.gates(), blocks = args_[1].shape()[1];
    weight += direction_ * blocks * units_ * gates * kRecurrentBlock;
    Doubles sums(static_cast<size_t>(blocks * kRecurrentBlock));
    for (int64_t block = 0; block < blocks; ++block) {
      for (int64_t k = 0; k < units_; ++k) {
        const Element* lane = weight + ((block * units_ + k) * gates + gate) * kRecurrentBlock;
        const double x = Nth(state, k);
        double* sum = &Nth(sums, block * kRecurrentBlock);
        for (int64_t l = 0; l < kRecurrentBlock; ++l) sum[l] += x * static_cast<double>(lane[l]);
      }
    }
    return sums;
  }

  void Step(int64_t time) {
    switch (cell_.kind) {
      case CellKind::kRnn:
        return StepRnn(time);
      case CellKind::kLstm:
        return StepLstm(time);
      default:
        return StepGru(time);
    }
  }

  void StepRnn(int64_t time) {
    const Doubles sums = Product(0, hidden_);
    for (int64_t j = 0; j < units_; ++j) Nth(hidden_, j) = Apply(0, Data(time, 0, j) + Nth(sums, j));
  }

  void StepLstm(int64_t time) {
    const Doubles i = Product(0, hidden_), o = Product(1, hidden_), f = Product(2, hidden_), c = Product(3, hidden_);
    for (int64_t j = 0; j < units_; ++j) {
      double& memory = Nth(memory_, j);
      const double in = Apply(0, Data(time, 0, j) + Nth(i, j) + Peephole(0, j) * memory);
      const double forget =
          cell_.input_forget ? 1 - in : Apply(0, Data(time, 2, j) + Nth(f, j) + Peephole(2, j) * memory);
      memory = forget * memory + in * Apply(1, Data(time, 3, j) + Nth(c, j));
      const double out = Apply(0, Data(time, 1, j) + Nth(o, j) + Peephole(1, j) * memory);
      Nth(hidden_, j) = out * CellActivationOf(cell_.Function(direction_, 2), memory);
    }
  }

  void StepGru(int64_t time) {
    const bool after = cell_.kind == CellKind::kGruResetAfter;
    Doubles z = Product(0, hidden_), r = Product(1, hidden_), seen = hidden_;
    for (int64_t j = 0; j < units_; ++j) {
      Nth(z, j) = Apply(0, Data(time, 0, j) + Nth(z, j));
      Nth(r, j) = Apply(0, Data(time, 1, j) + Nth(r, j));
      if (!after) Nth(seen, j) *= Nth(r, j);
    }
    const Doubles h = Product(2, seen);
    for (int64_t j = 0; j < units_; ++j) {
      double sum = Nth(h, j);
      if (after) sum = Nth(r, j) * (sum + Nth(args_, cell_.bias_argument()).At(direction_ * units_ + j));
      const double candidate = Apply(1, Data(time, 2, j) + sum);
      Nth(hidden_, j) = (1 - Nth(z, j)) * candidate + Nth(z, j) * Nth(hidden_, j);
    }
  }

  const std::vector<Tensor>& args_;
  const RecurrentCell& cell_;
  int64_t direction_, row_, steps_, rows_, units_;
  Doubles hidden_, memory_;
  bool is_first_ = true;  // whether this is the first step
};

// The definition in plain loops. Sums, gates and both states are float64 from the first step to the last.
std::vector<Tensor> RecurrentReference(const std::vector<Tensor>& args, const Attrs& attrs) {
  const RecurrentCell cell = ReadRecurrentCell(attrs);
  const Shape &data = args[0].shape(), &state = args[2].shape();
  std::vector<Tensor> results{Tensor(DType::kFloat32, {data[0], data[1], data[2], state[2]}),
                              Tensor(DType::kFloat32, state)};
  if (cell.cell_argument() >= 0) results.emplace_back(DType::kFloat32, state);
  for (int64_t direction = 0; direction < cell.directions(); ++direction) {
    for (int64_t row = 0; row < data[1]; ++row) Run(args, cell, direction, row).Into(results);
  }
  return results;
}

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
    Misfit(fmt::format("{}, this cell takes {}", Counted(args.size(), "argument"), cell.arguments()));
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
      {"lengths", AttrKind::kBool, false, "whether rows have lengths of their own"},
      {"zero_state", AttrKind::kBool, false, "whether hidden is zeros: the first step adds no products with it"}};
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  def.type_relation = RecurrentType;
  def.reference = RecurrentReference;
  return {def};
}

}  // namespace hone::relay

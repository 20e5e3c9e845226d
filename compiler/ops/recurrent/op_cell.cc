#include "compiler/ops/recurrent/op_cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/relay/arguments.h"

namespace hone::relay {
namespace {

const CellFunctionRow& RowOf(CellFunction function) {
  return *std::find_if(CellFunctions().begin(), CellFunctions().end(),
                       [&](const CellFunctionRow& row) { return row.function == function; });
}

[[noreturn]] void RefuseText(std::string_view text) {
  std::vector<std::string_view> names;
  for (const CellFunctionRow& row : CellFunctions()) names.push_back(row.name);
  Misfit(
      fmt::format("\"{}\" is no function of a cell; they are {}, with the parameters that they have: "
                  "affine(0.5,1)",
                  text, fmt::join(names, ", ")));
}

// Parses the numbers between the parentheses.
std::vector<double> Parameters(std::string_view text, std::string_view whole) {
  std::vector<double> numbers;
  while (!text.empty()) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) RefuseText(whole);
    numbers.push_back(number);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (!text.empty() && text[0] != ',') RefuseText(whole);
    if (!text.empty()) text.remove_prefix(1);
  }
  return numbers;
}

CellActivation ParseOne(std::string_view text) {
  const size_t open = text.find('(');
  const std::string_view name = text.substr(0, open);
  const auto row = std::find_if(CellFunctions().begin(), CellFunctions().end(),
                                [&](const CellFunctionRow& r) { return r.name == name; });
  if (row == CellFunctions().end()) RefuseText(text);
  std::vector<double> numbers;
  if (open != std::string_view::npos) {
    if (text.back() != ')') RefuseText(text);
    numbers = Parameters(text.substr(open + 1, text.size() - open - 2), text);
  }
  if (static_cast<int>(numbers.size()) != row->parameters) RefuseText(text);
  numbers.resize(2);
  return {row->function, numbers[0], numbers[1]};
}

}  // namespace

const std::vector<CellFunctionRow>& CellFunctions() {
  static const std::vector<CellFunctionRow> rows{
      {CellFunction::kSigmoid, "sigmoid", "Sigmoid"},
      {CellFunction::kTanh, "tanh", "Tanh"},
      {CellFunction::kRelu, "relu", "Relu"},
      {CellFunction::kAffine, "affine", "Affine", 2, 1, 0},
      {CellFunction::kLeakyRelu, "leaky_relu", "LeakyRelu", 1, 0.01},
      {CellFunction::kThresholdedRelu, "thresholded_relu", "ThresholdedRelu", 1, 1},
      {CellFunction::kScaledTanh, "scaled_tanh", "ScaledTanh", 2, 1, 1},
      {CellFunction::kHardSigmoid, "hard_sigmoid", "HardSigmoid", 2, 0.2, 0.5},
      {CellFunction::kElu, "elu", "Elu", 1, 1},
      {CellFunction::kSoftsign, "softsign", "Softsign"},
      {CellFunction::kSoftplus, "softplus", "Softplus"},
  };
  return rows;
}

std::vector<CellActivation> ParseCellActivations(std::string_view text) {
  std::vector<CellActivation> activations;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    activations.push_back(ParseOne(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return activations;
}

std::string CellActivationText(const CellActivation& activation) {
  const CellFunctionRow& row = RowOf(activation.function);
  if (row.parameters == 0) return std::string(row.name);
  if (row.parameters == 1) return fmt::format("{}({})", row.name, activation.alpha);
  return fmt::format("{}({},{})", row.name, activation.alpha, activation.beta);
}

// Comparisons are written so that NaN fails them and is returned unchanged.
double CellActivationOf(const CellActivation& activation, double x) {
  const double alpha = activation.alpha, beta = activation.beta;
  switch (activation.function) {
    case CellFunction::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case CellFunction::kTanh:
      return std::tanh(x);
    case CellFunction::kRelu:
      return x < 0 ? 0 : x;
    case CellFunction::kAffine:
      return alpha * x + beta;
    case CellFunction::kLeakyRelu:
      return x < 0 ? alpha * x : x;
    case CellFunction::kThresholdedRelu:
      return x < alpha ? 0 : x;
    case CellFunction::kScaledTanh:
      return alpha * std::tanh(beta * x);
    case CellFunction::kHardSigmoid: {
      const double line = alpha * x + beta;
      return line < 0 ? 0 : line > 1 ? 1 : line;
    }
    case CellFunction::kElu:
      return x < 0 ? alpha * std::expm1(x) : x;
    case CellFunction::kSoftsign:
      return x / (1 + std::fabs(x));
    case CellFunction::kSoftplus:
      return x > 40 ? x : std::log1p(std::exp(x));
  }
  return x;
}

namespace {

constexpr std::array<std::pair<std::string_view, CellKind>, 4> kCellKinds{
    {{"rnn", CellKind::kRnn},
     {"gru", CellKind::kGru},
     {"gru_reset_after", CellKind::kGruResetAfter},
     {"lstm", CellKind::kLstm}}};

CellKind ReadKind(const std::string& text) {
  for (const auto& [name, kind] : kCellKinds) {
    if (name == text) return kind;
  }
  Misfit(fmt::format("cell = \"{}\" must be rnn, gru, gru_reset_after or lstm", text));
}

std::vector<bool> ReadDirection(const std::string& text) {
  if (text == "forward") return {false};
  if (text == "reverse") return {true};
  if (text == "bidirectional") return {false, true};
  Misfit(fmt::format("direction = \"{}\" must be forward, reverse or bidirectional", text));
}

}  // namespace

RecurrentCell ReadRecurrentCell(const Attrs& attrs) {
  RecurrentCell cell;
  cell.kind = ReadKind(attrs.GetString("cell", "lstm"));
  cell.reversed = ReadDirection(attrs.GetString("direction", "forward"));
  cell.activations = ParseCellActivations(attrs.GetString("activations"));
  if (static_cast<int64_t>(cell.activations.size()) != cell.functions() * cell.directions()) {
    Misfit(fmt::format("{} activations, it takes {} for each of {} directions", cell.activations.size(),
                       cell.functions(), cell.directions()));
  }
  const double clip = attrs.GetFloat("clip", 0);
  if (!(clip >= 0)) Misfit(fmt::format("clip = {} must not be negative", clip));
  if (clip > 0) cell.clip = clip;
  cell.input_forget = attrs.GetBool("input_forget");
  cell.peepholes = attrs.GetBool("peepholes");
  if ((cell.input_forget || cell.peepholes) && cell.kind != CellKind::kLstm) {
    Misfit("input_forget and peepholes are of an lstm alone");
  }
  cell.scales = attrs.GetBool("scales");
  cell.lengths = attrs.GetBool("lengths");
  cell.zero_state = attrs.GetBool("zero_state");
  return cell;
}

Attrs RecurrentAttrs(const RecurrentCell& cell) {
  std::string activations;
  for (const CellActivation& one : cell.activations) {
    activations += (activations.empty() ? "" : " ") + CellActivationText(one);
  }
  Attrs attrs{{"activations", activations}};
  for (const auto& [name, kind] : kCellKinds) {
    if (kind == cell.kind) attrs.Set("cell", std::string(name));
  }
  attrs.Set("direction", std::string(cell.directions() == 2 ? "bidirectional"
                                     : cell.reversed[0]     ? "reverse"
                                                            : "forward"));
  attrs.Set("clip", std::isinf(cell.clip) ? 0.0 : cell.clip);
  attrs.Set("input_forget", cell.input_forget);
  attrs.Set("peepholes", cell.peepholes);
  // Set only if true; calls with float weights do without the attribute.
  if (cell.scales) attrs.Set("scales", true);
  attrs.Set("lengths", cell.lengths);
  if (cell.zero_state) attrs.Set("zero_state", true);
  return attrs;
}

}  // namespace hone::relay

#include "compiler/ops/recurrent/op_cell.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/relay/arguments.h"

namespace hone::relay {
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
  return attrs;
}

}  // namespace hone::relay

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <vector>

#include "core/activation.h"
#include "core/error.h"
#include "core/parse_number.h"
#include "core/workload.h"

namespace hone {
namespace {

[[noreturn]] void Refuse(std::string_view text) {
  throw Error(ExitCode::kBadData,
              fmt::format("'{}' is not an epilogue such as none, bias,relu or bias,add,clip(0,6)", text));
}

std::string ActivationText(const Epilogue& epilogue) {
  const ActivationRow& row = *epilogue.activation;
  if (row.parameters.size() == 2) return fmt::format("{}({},{})", row.name, epilogue.lo, epilogue.hi);
  if (row.parameters.size() == 1) return fmt::format("{}({})", row.name, epilogue.lo);
  return std::string(row.name);
}

// A clip may have one bound alone.
std::optional<float> ParseParameter(std::string_view text) {
  const float infinity = std::numeric_limits<float>::infinity();
  if (text == "inf") return infinity;
  if (text == "-inf") return -infinity;
  return ParseFloat(text);
}

// Reads "clip(0,6)" into the epilogue; false when it is no activation.
bool ParseActivation(std::string_view text, Epilogue& epilogue) {
  const size_t open = text.find('(');
  std::vector<float> arguments;
  if (open != std::string_view::npos) {
    if (text.back() != ')') return false;
    for (std::string_view part : Split(text.substr(open + 1, text.size() - open - 2), ',')) {
      const auto value = ParseParameter(part);
      if (!value) return false;
      arguments.push_back(*value);
    }
  }
  for (const ActivationRow& row : Activations()) {
    if (row.name != text.substr(0, open) || row.parameters.size() != arguments.size()) continue;
    epilogue.activation = &row;
    if (!arguments.empty()) epilogue.lo = arguments[0];
    if (arguments.size() > 1) epilogue.hi = arguments[1];
    return true;
  }
  return false;
}

// Takes `word` and the comma behind it off the front of the text.
bool Take(std::string_view& text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return false;
  if (text.size() > word.size() && text[word.size()] != ',') return false;
  const bool last = text.size() == word.size();
  // A comma with nothing behind it is left for the caller to refuse.
  if (!last && text.size() == word.size() + 1) return false;
  text.remove_prefix(word.size() + (last ? 0 : 1));
  return true;
}

// Takes "quantise(0.5,3)" and the comma before it off the text's end, where it stands; false when it is not such.
bool TakeQuantise(std::string_view& text, Epilogue& epilogue) {
  constexpr std::string_view kName = "quantise(";
  const size_t at = text.rfind(kName);
  if (at == std::string_view::npos) return true;
  if (text.back() != ')' || (at > 0 && (at < 2 || text[at - 1] != ','))) return false;
  const auto parts = Split(text.substr(at + kName.size(), text.size() - at - kName.size() - 1), ',');
  if (parts.size() != 2) return false;
  const auto step = ParseFloat(parts[0]);
  const auto zero_point = ParseInteger(parts[1]);
  if (!step || !(*step > 0) || !zero_point || *zero_point < -128 || *zero_point > 255) return false;
  epilogue.step = *step;
  epilogue.zero_point = static_cast<int>(*zero_point);
  text = text.substr(0, at == 0 ? 0 : at - 1);
  return true;
}

}  // namespace

EpilogueClass Epilogue::Class() const {
  if (residual) return EpilogueClass::kResidual;
  return bias || activation != nullptr ? EpilogueClass::kBiasAct : EpilogueClass::kNone;
}

std::string Epilogue::ToText() const {
  std::vector<std::string> parts;
  if (scale) parts.emplace_back("scale");
  if (bias) parts.emplace_back("bias");
  if (residual) parts.emplace_back("add");
  if (activation != nullptr) parts.push_back(ActivationText(*this));
  if (step > 0) parts.push_back(fmt::format("quantise({},{})", step, zero_point));
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ","));
}

Epilogue Epilogue::Parse(std::string_view text) {
  Epilogue epilogue;
  if (text == "none") return epilogue;
  if (text.empty()) Refuse(text);
  std::string_view rest = text;
  epilogue.scale = Take(rest, "scale");
  epilogue.bias = Take(rest, "bias");
  epilogue.residual = Take(rest, "add");
  if (!TakeQuantise(rest, epilogue)) Refuse(text);
  if (!rest.empty() && !ParseActivation(rest, epilogue)) Refuse(text);
  return epilogue;
}

Epilogue CanonicalEpilogue(EpilogueClass epilogue_class) {
  Epilogue epilogue;
  if (epilogue_class == EpilogueClass::kNone) return epilogue;
  epilogue.bias = true;
  epilogue.residual = epilogue_class == EpilogueClass::kResidual;
  epilogue.activation = ActivationNamed("relu");
  return epilogue;
}

}  // namespace hone

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/activation.h"
#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/workload.h"

namespace hone {
namespace {

[[noreturn]] void RefuseEpilogue(std::string_view text) {
  throw Error(ExitCode::kBadData,
              fmt::format("'{}' is not an epilogue such as none, bias,relu or bias,add,clip(0,6)", text));
}

std::string ActivationText(const Epilogue& epilogue) {
  const ActivationRow& row = *epilogue.activation;
  if (row.parameters.size() == 2) return fmt::format("{}({},{})", row.name, epilogue.lo, epilogue.hi);
  if (row.parameters.size() == 1) return fmt::format("{}({})", row.name, epilogue.lo);
  return std::string(row.name);
}

// A clip with only one bound has an infinity for the other.
std::optional<float> ParseParameter(std::string_view text) {
  const float infinity = std::numeric_limits<float>::infinity();
  if (text == "inf") return infinity;
  if (text == "-inf") return -infinity;
  return ParseFloat(text);
}

// Reads an activation such as "clip(0,6)" into the epilogue. Returns false if the text is none.
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

// Removes `word` and the comma behind it from the front of the text.
bool TakeWord(std::string_view& text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return false;
  if (text.size() > word.size() && text[word.size()] != ',') return false;
  const bool last = text.size() == word.size();
  // A comma with nothing behind it is left for the caller to refuse.
  if (!last && text.size() == word.size() + 1) return false;
  text.remove_prefix(word.size() + (last ? 0 : 1));
  return true;
}

// Removes "name(1,2)" and the comma behind it from the front of the text and returns the arguments between the
// parentheses. Returns nullopt if the text does not begin with such a call.
std::optional<std::vector<std::string_view>> TakeCall(std::string_view& text, std::string_view name) {
  if (text.substr(0, name.size()) != name || text.substr(name.size(), 1) != "(") return std::nullopt;
  const size_t close = text.find(')');
  if (close == std::string_view::npos) return std::nullopt;
  std::string_view whole = text.substr(0, close + 1);
  if (!TakeWord(text, whole)) return std::nullopt;
  return Split(whole.substr(name.size() + 1, close - name.size() - 1), ',');
}

float FloatOf(std::string_view whole, std::string_view part) {
  const auto number = ParseFloat(part);
  if (!number) RefuseEpilogue(whole);
  return *number;
}

// The value of an 8-bit integer, signed or unsigned.
int ByteOf(std::string_view whole, std::string_view part) {
  const auto number = ParseInteger(part);
  if (!number || *number < -128 || *number > 255) RefuseEpilogue(whole);
  return static_cast<int>(*number);
}

void TakeHold(std::string_view whole, std::string_view& text, Hold& hold) {
  const auto parts = TakeCall(text, "hold");
  if (!parts) return;
  if (parts->size() != 3) RefuseEpilogue(whole);
  hold = {FloatOf(whole, (*parts)[0]), FloatOf(whole, (*parts)[1]), FloatOf(whole, (*parts)[2])};
  if (!(hold.scale > 0) || !(hold.lo <= hold.hi)) RefuseEpilogue(whole);
}

void TakeResidual(std::string_view whole, std::string_view& text, Epilogue& epilogue) {
  epilogue.residual = TakeWord(text, "add");
  if (epilogue.residual) return;
  const auto parts = TakeCall(text, "add");
  if (!parts) return;
  if (parts->size() != 2) RefuseEpilogue(whole);
  epilogue.residual = true;
  epilogue.residual_scale = FloatOf(whole, (*parts)[0]);
  epilogue.residual_zero = ByteOf(whole, (*parts)[1]);
  if (!(epilogue.residual_scale > 0)) RefuseEpilogue(whole);
}

// Reads "quantise(0.5,3)" at the end and leaves in `text` what stands before it.
void TakeQuantise(std::string_view whole, std::string_view& text, Epilogue& epilogue) {
  const size_t at = text.rfind("quantise(");
  if (at == std::string_view::npos) return;
  std::string_view last = text.substr(at);
  const auto parts = TakeCall(last, "quantise");
  const bool stands = at == 0 || (at > 1 && text[at - 1] == ',');
  if (!parts || !last.empty() || !stands || parts->size() < 2 || parts->size() > 3) RefuseEpilogue(whole);
  epilogue.step = FloatOf(whole, (*parts)[0]);
  epilogue.zero_point = ByteOf(whole, (*parts)[1]);
  if (parts->size() == 3) epilogue.most = ByteOf(whole, (*parts)[2]);
  if (!(epilogue.step > 0) || (parts->size() == 3 && epilogue.most <= 0)) RefuseEpilogue(whole);
  text = text.substr(0, at == 0 ? 0 : at - 1);
}

}  // namespace

EpilogueClass Epilogue::Class() const {
  if (residual) return EpilogueClass::kResidual;
  return bias || offset || activation != nullptr ? EpilogueClass::kBiasAct : EpilogueClass::kNone;
}

std::string Epilogue::ToText() const {
  std::vector<std::string> parts;
  if (offset) parts.emplace_back("offset");
  if (scale) parts.emplace_back("scale");
  if (hold.scale > 0) parts.push_back(fmt::format("hold({},{},{})", hold.lo, hold.hi, hold.scale));
  if (bias) parts.emplace_back("bias");
  if (residual) parts.push_back(residual_scale > 0 ? fmt::format("add({},{})", residual_scale, residual_zero) : "add");
  if (activation != nullptr) parts.push_back(ActivationText(*this));
  if (step > 0) {
    parts.push_back(most > 0 ? fmt::format("quantise({},{},{})", step, zero_point, most)
                             : fmt::format("quantise({},{})", step, zero_point));
  }
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ","));
}

Epilogue Epilogue::Parse(std::string_view text) {
  Epilogue epilogue;
  if (text == "none") return epilogue;
  if (text.empty()) RefuseEpilogue(text);
  std::string_view rest = text;
  TakeQuantise(text, rest, epilogue);
  epilogue.offset = TakeWord(rest, "offset");
  epilogue.scale = TakeWord(rest, "scale");
  TakeHold(text, rest, epilogue.hold);
  epilogue.bias = TakeWord(rest, "bias");
  TakeResidual(text, rest, epilogue);
  if (!rest.empty() && !ParseActivation(rest, epilogue)) RefuseEpilogue(text);
  return epilogue;
}

namespace {

// Products of random bytes are about 32 * 32 in size, so with this step the sum of `terms` products fills a byte. It
// is a power of two, by which division does not round.
float CanonicalStep(double terms) {
  constexpr double kQuantaOfOne = 16;
  return static_cast<float>(std::exp2(std::round(std::log2(kQuantaOfOne * std::sqrt(terms)))));
}

Epilogue CanonicalWhole(const Workload& w) {
  const bool pairs = w.is_batch_matmul();
  double terms = pairs ? static_cast<double>(w.Extent('K')) : 1;
  for (size_t i = 1; !pairs && i < w.weight.size(); ++i) terms *= static_cast<double>(w.weight[i]);
  constexpr float kFar = 4194304;  // 2^22: float32 still represents the halves between integers
  constexpr int kMiddleByte = 128;
  Epilogue epilogue;
  epilogue.offset = w.epilogue != EpilogueClass::kNone;
  epilogue.scale = (epilogue.offset || pairs) && w.types.output != DType::kInt32;
  if (w.types.output != DType::kUInt8) return epilogue;
  epilogue.step = CanonicalStep(terms);
  epilogue.zero_point = kMiddleByte;
  if (w.epilogue != EpilogueClass::kResidual) return epilogue;
  epilogue.residual = true;
  epilogue.hold = {-kFar, kFar, 1};
  epilogue.residual_scale = epilogue.step;
  return epilogue;
}

}  // namespace

Epilogue CanonicalEpilogue(const Workload& workload) {
  if (workload.types.whole()) return CanonicalWhole(workload);
  Epilogue epilogue;
  if (workload.epilogue == EpilogueClass::kNone) return epilogue;
  epilogue.bias = true;
  epilogue.residual = workload.epilogue == EpilogueClass::kResidual;
  epilogue.activation = ActivationNamed("relu");
  return epilogue;
}

}  // namespace hone

#include "compiler/relay/text/literal.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "core/text/parse_number.h"

namespace hone::relay {
namespace {

// Also reads "inf" and "nan"; nullopt beyond the type's range.
template <typename Float>
std::optional<Float> ParseReal(const std::string& text) {
  Float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool LooksReal(const Token& number) {
  return number.suffix == "f" || number.suffix == "f64" || number.value.find_first_of(".ein") != std::string::npos;
}

DType DTypeOf(const Token& number, const TokenReader& reader) {
  if (number.suffix.empty()) return LooksReal(number) ? DType::kFloat32 : DType::kInt32;
  if (number.suffix == "f") return DType::kFloat32;
  if (number.suffix == "f64") return DType::kFloat64;
  if (number.suffix == "i64") return DType::kInt64;
  try {
    return ParseDType(number.suffix);
  } catch (const Error& error) {
    reader.Fail(number.at, fmt::format("{}: {}", number.text, error.what()));
  }
}

// False if the dtype does not hold the number.
bool SetScalar(Tensor& scalar, const std::string& text) {
  if (!IsFloat(scalar.dtype())) {
    const auto value = ParseInteger(text);
    if (value && scalar.dtype() == DType::kInt64) *scalar.data<int64_t>() = *value;
    if (!value || scalar.dtype() == DType::kInt64) return value.has_value();
    const int64_t most = scalar.dtype() == DType::kBool ? 1 : scalar.dtype() == DType::kInt32 ? INT32_MAX : 255;
    if (*value > most || *value < -most - 1) return false;
    scalar.Set(0, static_cast<double>(*value));
    return scalar.At(0) == static_cast<double>(*value);
  }
  if (scalar.dtype() == DType::kFloat32) {
    const auto value = ParseReal<float>(text);
    if (value) *scalar.data<float>() = *value;
    return value.has_value();
  }
  const auto value = ParseReal<double>(text);
  if (value) scalar.Set(0, *value);
  return value && (std::isfinite(*value) == std::isfinite(scalar.At(0)));
}

int64_t Integer(const Token& number, const TokenReader& reader) {
  const auto value = number.suffix.empty() || number.suffix == "i64" ? ParseInteger(number.value) : std::nullopt;
  if (!value) reader.Fail(number.at, fmt::format("{} is no integer of 64 bits", number.text));
  return *value;
}

AttrValue Number(const Token& number, const TokenReader& reader) {
  if (!LooksReal(number)) return Integer(number, reader);
  const auto value = number.suffix.empty() || number.suffix[0] == 'f' ? ParseReal<double>(number.value) : std::nullopt;
  if (!value) reader.Fail(number.at, fmt::format("{} is no number; 1e-05f would be right", number.text));
  return *value;
}

std::vector<int64_t> List(TokenReader& reader) {
  std::vector<int64_t> list;
  while (!reader.Accept("]")) {
    list.push_back(Integer(reader.Expect(TokenKind::kNumber, "an integer of a list"), reader));
    if (!reader.Accept(",") && !reader.next().Is("]")) reader.Expect("]", "a list's");
  }
  return list;
}

}  // namespace

AttrValue ParseAttrValue(TokenReader& reader) {
  if (reader.Accept("True")) return true;
  if (reader.Accept("False")) return false;
  if (reader.Accept("[")) return List(reader);
  if (reader.next().kind == TokenKind::kString) return reader.Take().value;
  return Number(reader.Expect(TokenKind::kNumber, "a value, such as 2, 1e-05f, True, [2, 2] or \"NCHW\","), reader);
}

Tensor ScalarOf(const Token& number, const TokenReader& reader) {
  Tensor scalar(DTypeOf(number, reader), {});
  if (!SetScalar(scalar, number.value)) {
    reader.Fail(number.at, fmt::format("{} is no number that {} holds", number.text, DTypeName(scalar.dtype())));
  }
  return scalar;
}

}  // namespace hone::relay

#include "compiler/relay/text/type_parser.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/text/parse_number.h"

namespace hone::relay {
namespace {

class TypeParser {
 public:
  explicit TypeParser(TokenReader& reader) : reader_(reader) {}

  TypePtr Type(int depth) {
    if (depth > kDeepest) reader_.FailAtNext(fmt::format("a type nests more than {} deep", kDeepest));
    if (reader_.Accept("(")) return Fields(depth);
    if (reader_.Accept("fn")) return Func(depth);
    if (reader_.Accept("Tensor")) return Tensor();
    const Token name = reader_.Expect(TokenKind::kName, "a type, such as Tensor[(1, 3), float32],");
    return TensorType({}, Dtype(name));
  }

 private:
  // Reads up to the closing parenthesis.
  std::vector<TypePtr> Types(int depth) {
    std::vector<TypePtr> types;
    while (!reader_.Accept(")")) {
      types.push_back(Type(depth + 1));
      if (!reader_.Accept(",") && !reader_.next().Is(")")) reader_.Expect(")", "the types'");
    }
    return types;
  }

  // A tuple; one type without a comma is that type, in parentheses.
  TypePtr Fields(int depth) {
    if (reader_.Accept(")")) return TupleType({});
    TypePtr first = Type(depth + 1);
    if (reader_.Accept(")")) return first;
    reader_.Expect(",", "a tuple type's");
    std::vector<TypePtr> fields = Types(depth);
    fields.insert(fields.begin(), std::move(first));
    return TupleType(std::move(fields));
  }

  TypePtr Func(int depth) {
    reader_.Expect("(", "a function type's");
    std::vector<TypePtr> params = Types(depth);
    reader_.Expect("->", "a function type's");
    return FuncType(std::move(params), Type(depth + 1));
  }

  DType Dtype(const Token& name) {
    try {
      return ParseDType(name.value);
    } catch (const Error& error) {
      reader_.Fail(name.at, error.what());
    }
  }

  int64_t Dim() {
    if (reader_.Accept("?")) return kAnyDim;
    const Token number = reader_.Expect(TokenKind::kNumber, "a dim, a number or ?,");
    const auto dim = number.suffix.empty() ? ParseInteger(number.value) : std::nullopt;
    if (!dim || *dim < 0) reader_.Fail(number.at, fmt::format("{} is no dim; 0 or more would be right", number.text));
    return *dim;
  }

  TypePtr Tensor() {
    const TextPosition at = reader_.next().at;
    reader_.Expect("[", "a tensor type's");
    reader_.Expect("(", "a shape's");
    Shape shape;
    while (!reader_.Accept(")")) {
      shape.push_back(Dim());
      if (!reader_.Accept(",") && !reader_.next().Is(")")) reader_.Expect(")", "a shape's");
    }
    CheckSize(shape, at);
    reader_.Expect(",", "after the shape");
    const DType dtype = Dtype(reader_.Expect(TokenKind::kName, "a dtype, such as float32,"));
    const std::string layout =
        reader_.Accept(",") ? reader_.Expect(TokenKind::kName, "a layout, such as NCHW16c,").value : "";
    reader_.Expect("]", "a tensor type's");
    return TensorType(std::move(shape), dtype, layout);
  }

  void CheckSize(const Shape& shape, const TextPosition& at) {
    Shape known;
    for (const int64_t dim : shape) known.push_back(dim == kAnyDim ? 1 : dim);
    try {
      ElementCount(known);
    } catch (const Error& error) {
      reader_.Fail(at, error.what());
    }
  }

  TokenReader& reader_;
};

}  // namespace

TypePtr ParseType(TokenReader& reader) { return TypeParser(reader).Type(0); }

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

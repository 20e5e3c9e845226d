#include "compiler/relay/text/type_parser.h"

#include <fmt/format.h>

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

}  // namespace hone::relay

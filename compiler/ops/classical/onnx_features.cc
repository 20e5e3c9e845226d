// Operators around a classical model (domain ai.onnx.ml): replacing missing values, encoding categories, joining
// columns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/classical/onnx.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;

ExprPtr Vector(const Tensor& values) { return relay::MakeConstant(values.Reshaped({values.elements()})); }

Tensor Floats(const std::vector<float>& values) {
  return Tensor::FromVector(DType::kFloat32, {static_cast<int64_t>(values.size())}, values);
}

Tensor Integers(const std::vector<int64_t>& values) {
  return Tensor::FromVector(DType::kInt64, {static_cast<int64_t>(values.size())}, values);
}

// One number, or one for each feature, replaces a value, which may be NaN.
std::vector<ExprPtr> Imputer(const OnnxNodeView& view) {
  const bool is_float = IsFloat(view.builder().DTypeOf(view.Input(0)));
  const std::string name = is_float ? "imputed_value_floats" : "imputed_value_int64s";
  const Tensor values = is_float ? Floats(FloatsOf(view, name)) : Integers(view.Ints(name, {}));
  const int64_t features = view.InputRank(0) > 0 ? view.InputShape(0).back() : 1;
  if (values.elements() != 1 && values.elements() != features) {
    RefuseNode(fmt::format("{} holds {} numbers for {} features", name, values.elements(), features));
  }
  const ExprPtr x = AsDType(view, view.Input(0), values.dtype());
  const double replaced =
      is_float ? view.Float("replaced_value_float", 0) : static_cast<double>(view.Int("replaced_value_int64", 0));
  const ExprPtr is_missing =
      std::isnan(replaced) ? view.Call("not_equal", {x, x}) : view.Call("equal", {x, ScalarLike(view, x, replaced)});
  return {view.Call("where", {is_missing, Vector(values), x})};
}

// The list of a LabelEncoder, of either type; undefined if there is no list of numbers.
Tensor NumbersOf(const OnnxNodeView& view, const std::string& kind) {
  if (view.HasAttr(kind + "_int64s")) return Integers(view.Ints(kind + "_int64s", {}));
  if (view.HasAttr(kind + "_floats")) return Floats(FloatsOf(view, kind + "_floats"));
  const OnnxAttribute* tensor = view.Find(kind + "_tensor");
  return tensor != nullptr && tensor->kind == OnnxAttribute::Kind::kTensor ? tensor->tensor : Tensor();
}

// The value for elements that match no key.
double DefaultOf(const OnnxNodeView& view, const Tensor& values) {
  const OnnxAttribute* tensor = view.Find("default_tensor");
  if (tensor != nullptr && tensor->kind == OnnxAttribute::Kind::kTensor && tensor->tensor.elements() == 1) {
    return tensor->tensor.At(0);
  }
  return IsFloat(values.dtype()) ? view.Float("default_float", 0) : static_cast<double>(view.Int("default_int64", -1));
}

bool HoldsNan(const Tensor& values) {
  for (int64_t i = 0; i < values.elements(); ++i) {
    if (std::isnan(values.At(i))) return true;
  }
  return false;
}

// Whether an element equals the key; the elements have a last axis of one. NaN equals NaN here.
ExprPtr Matches(const OnnxNodeView& view, const ExprPtr& x, const Tensor& keys) {
  const ExprPtr key = Vector(keys);
  ExprPtr same = view.Call("equal", {x, key});
  if (!HoldsNan(keys)) return same;
  return view.Call(
      "logical_or",
      {same, view.Call("logical_and", {view.Call("not_equal", {x, x}), view.Call("not_equal", {key, key})})});
}

// The first matching key selects the value.
std::vector<ExprPtr> LabelEncoder(const OnnxNodeView& view) {
  constexpr int64_t kMostKeys = 65536;
  const Tensor keys = NumbersOf(view, "keys"), values = NumbersOf(view, "values");
  if (!keys.defined() || !values.defined()) RefuseNode("its keys and values must be numbers; text is not supported");
  const int64_t count = keys.elements();
  if (count != values.elements() || count < 1 || count > kMostKeys) {
    RefuseNode(fmt::format("{} keys and {} values; there must be as many of one as of the other, from 1 to {}", count,
                           values.elements(), kMostKeys));
  }
  Tensor table(values.dtype(), {count + 1});
  for (int64_t i = 0; i < count; ++i) table.Set(i, values.At(i));
  table.Set(count, DefaultOf(view, values));
  const Tensor known = keys.As(IsFloat(keys.dtype()) ? DType::kFloat32 : DType::kInt64);
  const int64_t rank = view.InputRank(0);
  const ExprPtr x = view.Call("expand_dims", {AsDType(view, view.Input(0), known.dtype())},
                              {{"axis", rank}, {"num_newaxis", int64_t{1}}});
  const ExprPtr places = AsDType(view, Positions(count, 0, 1), DType::kFloat32);
  const ExprPtr met =
      view.Call("where", {Matches(view, x, known), places, ScalarLike(view, places, static_cast<double>(count))});
  const ExprPtr first = view.Call("min", {met}, {{"axis", std::vector<int64_t>{rank}}});
  return {view.Call("take", {Vector(table), AsDType(view, first, DType::kInt64)}, {{"axis", int64_t{0}}})};
}

// For an unknown category all elements are 0, whatever `zeros` says, because a run does not fail.
std::vector<ExprPtr> OneHotEncoder(const OnnxNodeView& view) {
  const std::vector<int64_t> categories = view.Ints("cats_int64s", {});
  if (categories.empty()) RefuseNode("cats_int64s must name categories; those of text are not supported");
  const ExprPtr x = view.Call("expand_dims", {AsDType(view, view.Input(0), DType::kInt64)},
                              {{"axis", view.InputRank(0)}, {"num_newaxis", int64_t{1}}});
  return {AsDType(view, view.Call("equal", {x, Vector(Integers(categories))}), DType::kFloat32)};
}

std::vector<ExprPtr> FeatureVectorizer(const OnnxNodeView& view) {
  const std::vector<int64_t> wanted = view.Ints("inputdimensions", {});
  std::vector<ExprPtr> columns;
  for (int i = 0; i < view.num_inputs(); ++i) {
    const Shape& shape = view.InputShape(i);
    if (shape.empty() || shape.size() > 2)
      RefuseNode(fmt::format("input {} is {}; it must be a matrix", i, ShapeText(shape)));
    if (!wanted.empty() && (static_cast<int>(wanted.size()) != view.num_inputs() || Nth(wanted, i) != shape.back())) {
      RefuseNode(fmt::format("inputdimensions do not name the {} columns of input {}", shape.back(), i));
    }
    columns.push_back(
        view.Reshape(AsDType(view, view.Input(i), DType::kFloat32), {shape.size() == 2 ? shape[0] : 1, shape.back()}));
  }
  return {columns.size() == 1 ? columns[0]
                              : view.builder().CallOnTuple("concatenate", columns, {{"axis", int64_t{1}}})};
}

// A map from labels to numbers for each row is given as the matrix of the numbers, a column for each label.
std::vector<ExprPtr> ZipMap(const OnnxNodeView& view) {
  const OnnxAttribute* texts = view.Find("classlabels_strings");
  const size_t labels = texts != nullptr ? texts->strings.size() : view.Ints("classlabels_int64s", {}).size();
  const Shape shape = view.InputShape(0);
  if (shape.empty() || shape.size() > 2) RefuseNode(fmt::format("X is {}; it must be a matrix", ShapeText(shape)));
  RequireCount("X", static_cast<size_t>(shape.back()), labels, "labels");
  return {view.Input(0)};
}

}  // namespace

OnnxOperatorTable FeatureOperators() {
  return {{"Imputer",
           1,
           1,
           Imputer,
           {"imputed_value_floats", "imputed_value_int64s", "replaced_value_float", "replaced_value_int64"},
           {.becomes = "equal not_equal where", .takes_counts = true},
           kClassical},
          {"LabelEncoder",
           1,
           1,
           LabelEncoder,
           {"default_float", "default_int64", "default_string", "default_tensor", "keys_floats", "keys_int64s",
            "keys_strings", "keys_tensor", "values_floats", "values_int64s", "values_strings", "values_tensor"},
           {.becomes = "cast equal expand_dims logical_and logical_or min not_equal take where", .takes_counts = true},
           kClassical},
          {"OneHotEncoder",
           1,
           1,
           OneHotEncoder,
           {"cats_int64s", "cats_strings", "zeros"},
           {.becomes = "cast equal expand_dims", .takes_counts = true},
           kClassical},
          {"FeatureVectorizer",
           1,
           -1,
           FeatureVectorizer,
           {"inputdimensions"},
           {.becomes = "cast concatenate", .takes_counts = true},
           kClassical},
          {"ZipMap", 1, 1, ZipMap, {"classlabels_int64s", "classlabels_strings"}, {.takes_counts = true}, kClassical}};
}

}  // namespace hone

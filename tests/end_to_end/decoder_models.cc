#include "tests/end_to_end/decoder_models.h"

#include <cmath>
#include <iterator>
#include <utility>

#include "core/random.h"
#include "tests/compiler/frontend/model_maker.h"

namespace hone {
namespace {

class DecoderMaker {
 public:
  explicit DecoderMaker(const DecoderShape& shape) : shape_(shape), random_(shape.seed + 1) {}

  std::string Bytes() {
    FreeInput("x", {1, -1, shape_.width()}, {"", "seq", ""});
    if (shape_.style == DecoderStyle::kConcat) IntegerInput("positions", {1, -1}, {"", "seq"});
    if (shape_.style == DecoderStyle::kGrouped) {
      model_.IntegerInput("seqlens", onnx::TensorProto::INT32, {1});
      model_.IntegerInput("total", onnx::TensorProto::INT32, {1});
    }
    if (shape_.style == DecoderStyle::kScatter) {
      IntegerInput("first", {1}, {""});
      IntegerInput("keys", {1}, {""});
    }
    std::string rows = "x";
    std::vector<std::string> caches;
    for (int64_t layer = 0; layer < shape_.layers; ++layer) rows = Layer(layer, rows, caches);
    model_.Node("Identity", {rows}, {"y"}).Output("y");
    for (const std::string& cache : caches) model_.Output(cache);
    return model_.Bytes();
  }

 private:
  void FreeInput(const std::string& name, const std::vector<int64_t>& dims, const std::vector<std::string>& symbols) {
    model_.Input(name, dims);
    NameDims(symbols);
  }
  void IntegerInput(const std::string& name, const std::vector<int64_t>& dims,
                    const std::vector<std::string>& symbols) {
    model_.IntegerInput(name, onnx::TensorProto::INT64, dims);
    NameDims(symbols);
  }
  void NameDims(const std::vector<std::string>& symbols) {
    auto* shape = model_.graph().mutable_input()->rbegin()->mutable_type()->mutable_tensor_type()->mutable_shape();
    for (size_t i = 0; i < symbols.size(); ++i) {
      if (!symbols[i].empty()) shape->mutable_dim(static_cast<int>(i))->set_dim_param(symbols[i]);
    }
  }

  std::string Fresh(const std::string& what) { return what + "_" + std::to_string(number_++); }
  std::string Op(const std::string& op, const std::vector<std::string>& inputs,
                 const std::vector<std::pair<std::string, TestAttribute>>& attributes = {}) {
    const std::string result = Fresh(op);
    model_.Node(op, inputs, {result}, attributes);
    return result;
  }
  std::string Weight(int64_t rows, int64_t columns) {
    std::vector<float> values(static_cast<size_t>(rows * columns));
    const double scale = 2 / std::sqrt(static_cast<double>(rows));
    for (float& value : values) value = static_cast<float>((random_.Uniform() - 0.5) * scale);
    const std::string name = Fresh("w");
    model_.Weight(name, {rows, columns}, values);
    return name;
  }
  std::string Numbers(const std::vector<int64_t>& values) {
    const std::string name = Fresh("n");
    model_.Ints(name, values);
    return name;
  }
  std::string Projected(const std::string& rows, int64_t heads) {
    return Op("MatMul", {rows, Weight(shape_.width(), heads * shape_.size)});
  }
  std::string Heads(const std::string& rows, int64_t heads) {
    return Op("Transpose", {Op("Reshape", {rows, Numbers({0, 0, heads, shape_.size})})},
              {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
  }
  std::string Flat(const std::string& heads) {
    return Op("Reshape", {Op("Transpose", {heads}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}}),
                          Numbers({0, 0, shape_.width()})});
  }

  std::string Layer(int64_t layer, const std::string& rows, std::vector<std::string>& caches) {
    const bool scatters = shape_.style == DecoderStyle::kScatter;
    const int64_t groups = Groups();
    const std::string part = "." + std::to_string(layer) + ".";
    for (const char* what : {"key", "value"}) {
      FreeInput("past_key_values" + part + what, {1, groups, scatters ? shape_.capacity : -1, shape_.size},
                {"", "", scatters ? "" : "past", ""});
      caches.push_back("present" + part + what);
    }
    const std::string q = Projected(rows, shape_.heads), k = Projected(rows, groups), v = Projected(rows, groups);
    const std::string y = Attended(q, k, v, "past_key_values" + part, "present" + part);
    const std::string mixed = Op("Add", {rows, Op("MatMul", {y, Weight(shape_.width(), shape_.width())})});
    return Op("Add", {mixed, Op("Tanh", {Op("MatMul", {mixed, Weight(shape_.width(), shape_.width())})})});
  }

  int64_t Groups() const {
    const bool all = shape_.style == DecoderStyle::kMultiHead || shape_.style == DecoderStyle::kConcat;
    return all ? shape_.heads : shape_.groups;
  }

  std::string Attended(const std::string& q, const std::string& k, const std::string& v, const std::string& past,
                       const std::string& present) {
    const std::string pk = past + "key", pv = past + "value", nk = present + "key", nv = present + "value";
    const std::string y = Fresh("y");
    switch (shape_.style) {
      case DecoderStyle::kAttention:
        model_.Node("Attention", {Heads(q, shape_.heads), Heads(k, Groups()), Heads(v, Groups()), "", pk, pv},
                    {y, nk, nv}, {{"is_causal", int64_t{1}}});
        return Flat(y);
      case DecoderStyle::kMultiHead:
        model_.Node("MultiHeadAttention", {q, k, v, "", "", "", pk, pv}, {y, nk, nv},
                    {{"num_heads", shape_.heads}, {"unidirectional", int64_t{1}}});
        model_.Domain("com.microsoft");
        return y;
      case DecoderStyle::kGrouped:
        model_.Node("GroupQueryAttention", {q, k, v, pk, pv, "seqlens", "total"}, {y, nk, nv},
                    {{"num_heads", shape_.heads}, {"kv_num_heads", shape_.groups}});
        model_.Domain("com.microsoft");
        return y;
      case DecoderStyle::kScatter:
        model_.Node("TensorScatter", {pk, Heads(k, Groups()), "first"}, {nk}, {{"axis", int64_t{2}}});
        model_.Node("TensorScatter", {pv, Heads(v, Groups()), "first"}, {nv}, {{"axis", int64_t{2}}});
        model_.Node("Attention", {Heads(q, shape_.heads), nk, nv, "", "", "", "keys"}, {y},
                    {{"is_causal", int64_t{1}}});
        return Flat(y);
      case DecoderStyle::kConcat:
        break;
    }
    model_.Node("Concat", {pk, Heads(k, Groups())}, {nk}, {{"axis", int64_t{2}}});
    model_.Node("Concat", {pv, Heads(v, Groups())}, {nv}, {{"axis", int64_t{2}}});
    const std::string keys = Op("Transpose", {nk}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
    const std::string total = Op("Gather", {Op("Shape", {nk}), Scalar(2)}, {{"axis", int64_t{0}}});
    const std::string places = Op("Unsqueeze", {Op("Range", {Scalar(0), total, Scalar(1)}), Numbers({0, 1, 2})});
    const std::string seen = Op("LessOrEqual", {places, Op("Unsqueeze", {"positions", Numbers({1, 3})})});
    const std::string scores = Op("Where", {seen, Op("MatMul", {Heads(q, shape_.heads), keys}), Lowest()});
    return Flat(Op("MatMul", {Op("Softmax", {scores}, {{"axis", int64_t{-1}}}), nv}));
  }

  std::string Scalar(int64_t value) { return Op("Squeeze", {Numbers({value})}); }
  std::string Lowest() {
    const std::string name = Fresh("lowest");
    model_.Filled(name, {1}, -1e9F);
    return name;
  }

  const DecoderShape& shape_;
  Random random_;
  ModelMaker model_{24, 11};
  int number_ = 0;
};

}  // namespace

DecoderShape RandomDecoder(uint64_t seed) {
  Random random(seed * 977 + 5);
  const auto pick = [&](std::initializer_list<int64_t> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(random.Below(values.size())));
  };
  DecoderShape shape;
  shape.style = kDecoderStyles[seed % std::size(kDecoderStyles)];
  shape.layers = pick({1, 2, 3});
  shape.groups = pick({1, 2, 3});
  shape.heads = shape.groups * pick({1, 2, 3});
  shape.size = pick({4, 8, 12, 16});
  shape.capacity = pick({9, 16, 24, 31, 70});
  shape.seed = seed;
  return shape;
}

std::string DecoderModel(const DecoderShape& shape) { return DecoderMaker(shape).Bytes(); }

std::vector<std::pair<std::string, Tensor>> DecoderInputs(const DecoderShape& shape, int64_t first, int64_t count,
                                                          const std::vector<uint64_t>& tokens) {
  std::vector<std::pair<std::string, Tensor>> inputs;
  Tensor x(DType::kFloat32, {1, count, shape.width()});
  for (int64_t i = 0; i < count; ++i) {
    Random random(tokens.at(static_cast<size_t>(first + i)));
    for (int64_t d = 0; d < shape.width(); ++d) x.Set(i * shape.width() + d, random.Uniform() - 0.5);
  }
  inputs.emplace_back("x", std::move(x));
  const auto one = [&](const char* name, DType dtype, int64_t value) {
    Tensor number(dtype, {1});
    number.Set(0, static_cast<double>(value));
    inputs.emplace_back(name, std::move(number));
  };
  if (shape.style == DecoderStyle::kConcat) {
    Tensor positions(DType::kInt64, {1, count});
    for (int64_t i = 0; i < count; ++i) positions.Set(i, static_cast<double>(first + i));
    inputs.emplace_back("positions", std::move(positions));
  }
  if (shape.style == DecoderStyle::kGrouped) {
    one("seqlens", DType::kInt32, first + count - 1);
    one("total", DType::kInt32, first + count);
  }
  if (shape.style == DecoderStyle::kScatter) {
    one("first", DType::kInt64, first);
    one("keys", DType::kInt64, first + count);
  }
  return inputs;
}

std::string LanguageModel(int64_t vocabulary) {
  DecoderShape shape;
  shape.style = DecoderStyle::kConcat;
  onnx::ModelProto model;
  model.ParseFromString(DecoderModel(shape));
  Random random(3);
  const auto drawn = [&] {
    std::vector<float> values(static_cast<size_t>(vocabulary * shape.width()));
    for (float& value : values) value = static_cast<float>(random.Normal());
    return values;
  };
  ModelMaker ends;
  ends.IntegerInput("input_ids", onnx::TensorProto::INT64, {1, -1});
  ends.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(1)->set_dim_param(
      "seq");
  ends.Weight("embedding", {vocabulary, shape.width()}, drawn()).Node("Gather", {"embedding", "input_ids"}, {"x"});
  ends.Weight("by_token", {shape.width(), vocabulary}, drawn());  // with the embedding a text repeats its last token
  ends.Node("MatMul", {"y", "by_token"}, {"logits"}).Output("logits");
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.mutable_input()->DeleteSubrange(0, 1);   // x
  graph.mutable_output()->DeleteSubrange(0, 1);  // y
  *graph.add_input() = ends.graph().input(0);
  *graph.add_output() = ends.graph().output(0);
  for (const onnx::TensorProto& weight : ends.graph().initializer()) *graph.add_initializer() = weight;
  const onnx::GraphProto decoder = graph;
  graph.clear_node();
  *graph.add_node() = ends.graph().node(0);
  for (const onnx::NodeProto& node : decoder.node()) *graph.add_node() = node;
  for (int i = 1; i < ends.graph().node_size(); ++i) *graph.add_node() = ends.graph().node(i);
  return model.SerializeAsString();
}

}  // namespace hone

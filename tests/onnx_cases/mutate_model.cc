#include "tests/onnx_cases/mutate_model.h"

#include <onnx/onnx-ml.pb.h>

#include <cstdint>
#include <functional>

namespace hone {
namespace {

using Numbers = google::protobuf::RepeatedField<int64_t>;

int Draw(Random& random, int count) { return static_cast<int>(random.Below(static_cast<uint64_t>(count))); }

std::string FlippedBits(std::string bytes, Random& random) {
  for (uint64_t flips = 1 + random.Below(3); flips > 0 && !bytes.empty(); --flips) {
    bytes[random.Below(bytes.size())] ^= static_cast<char>(1 << random.Below(8));
  }
  return bytes;
}

std::string MovedPart(std::string bytes, Random& random) {
  if (bytes.empty()) return bytes;
  const size_t from = random.Below(bytes.size()), size = 1 + random.Below(16);
  return bytes.insert(random.Below(bytes.size()), bytes.substr(from, size));
}

int64_t Extreme(Random& random) {
  static constexpr int64_t kExtremes[] = {0,
                                          1,
                                          -1,
                                          2,
                                          -5,
                                          3,
                                          16,
                                          17,
                                          64,
                                          127,
                                          1 << 16,
                                          1 << 24,
                                          int64_t{1} << 31,
                                          int64_t{1} << 40,
                                          int64_t{1} << 62,
                                          INT64_MAX,
                                          INT64_MIN};
  return kExtremes[random.Below(std::size(kExtremes))];
}

void SetOne(Numbers& numbers, Random& random) {
  if (numbers.empty()) return;
  numbers.Set(Draw(random, numbers.size()), Extreme(random));
}

// Changes a dimension of a stored tensor or an input, or a stored integer.
void SetStored(onnx::GraphProto& graph, Random& random) {
  if (graph.initializer_size() > 0 && random.Below(2) == 0) {
    auto& tensor = *graph.mutable_initializer(Draw(random, graph.initializer_size()));
    SetOne(random.Below(2) == 0 ? *tensor.mutable_dims() : *tensor.mutable_int64_data(), random);
    return;
  }
  if (graph.input_size() == 0) return;
  auto& type = *graph.mutable_input(Draw(random, graph.input_size()))->mutable_type()->mutable_tensor_type();
  if (random.Below(4) == 0) type.set_elem_type(Draw(random, 20));
  if (type.shape().dim_size() == 0) return;
  type.mutable_shape()->mutable_dim(Draw(random, type.shape().dim_size()))->set_dim_value(Extreme(random));
}

void SetAttribute(onnx::NodeProto& node, Random& random) {
  if (node.attribute_size() == 0) return;
  auto& attribute = *node.mutable_attribute(Draw(random, node.attribute_size()));
  if (attribute.has_i()) attribute.set_i(Extreme(random));
  if (attribute.has_f()) attribute.set_f(static_cast<float>(Extreme(random)));
  SetOne(*attribute.mutable_ints(), random);
  if (attribute.has_t()) SetOne(*attribute.mutable_t()->mutable_dims(), random);
  if (random.Below(8) == 0) node.mutable_attribute()->DeleteSubrange(Draw(random, node.attribute_size()), 1);
}

// Takes a node of another model, with this one's values.
void Graft(onnx::NodeProto& node, std::string_view other, Random& random) {
  onnx::ModelProto model;
  if (!model.ParseFromArray(other.data(), static_cast<int>(other.size())) || model.graph().node_size() == 0) return;
  const auto& from = model.graph().node(Draw(random, model.graph().node_size()));
  node.set_op_type(from.op_type());
  node.set_domain(from.domain());
  *node.mutable_attribute() = from.attribute();
}

void Exchange(onnx::GraphProto& graph, Random& random) {
  auto& node = *graph.mutable_node(Draw(random, graph.node_size()));
  const auto& other = graph.node(Draw(random, graph.node_size()));
  if (node.input_size() == 0) return;
  std::string& input = *node.mutable_input(Draw(random, node.input_size()));
  if (random.Below(4) == 0) {
    input.clear();
  } else if (other.input_size() > 0 && random.Below(2) == 0) {
    input = other.input(Draw(random, other.input_size()));
  } else if (other.output_size() > 0) {
    input = other.output(0);
  }
}

}  // namespace

std::string MutatedModel(std::string_view model, const std::vector<std::string_view>& others, Random& random) {
  const uint64_t kind = random.Below(8);
  if (kind == 0) return std::string(model.substr(0, random.Below(model.size() + 1)));
  if (kind == 1) return MovedPart(std::string(model), random);
  onnx::ModelProto proto;
  const bool parsed = proto.ParseFromArray(model.data(), static_cast<int>(model.size()));
  if (kind < 4 || !parsed || proto.graph().node_size() == 0) return FlippedBits(std::string(model), random);
  auto& graph = *proto.mutable_graph();
  auto& node = *graph.mutable_node(Draw(random, graph.node_size()));
  if (kind == 4) SetStored(graph, random);
  if (kind == 5) SetAttribute(node, random);
  if (kind == 6) Graft(node, others[random.Below(others.size())], random);
  if (kind == 7) Exchange(graph, random);
  return proto.SerializeAsString();
}

}  // namespace hone

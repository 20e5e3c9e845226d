#include "compiler/frontend/quantise/quantisation_plan.h"

#include <algorithm>

#include "compiler/frontend/quantise/onnx_wiring.h"

namespace hone {
namespace {

using onnx::NodeProto;

const std::set<std::string> kMoves = {"MaxPool",   "Reshape",      "Flatten",  "Transpose", "Squeeze",
                                      "Unsqueeze", "DepthToSpace", "Identity", "Dropout"};
const std::set<std::string> kAverages = {"AveragePool", "GlobalAveragePool"};

bool IsOwn(const NodeProto& node) { return node.domain().empty() || node.domain() == "ai.onnx"; }

// The result of a layer or a sum, behind an activation that the rounding to bytes replaces.
std::string UnitOutput(const std::string& made, const OnnxWiring& wiring) {
  const auto& readers = wiring.ReadersOf(made);
  if (readers.size() != 1 || wiring.IsKept(made)) return made;
  const std::string& op = readers[0]->op_type();
  return (op == "Relu" || op == "Clip") && readers[0]->input(0) == made ? readers[0]->output(0) : made;
}

bool HasUsableWeight(const NodeProto& node, const OnnxWiring& wiring) {
  const onnx::TensorProto* weight = wiring.WeightOf(OnnxInputName(node, 1));
  if (weight == nullptr || !wiring.IsComputed(OnnxInputName(node, 0))) return false;
  const int rank = weight->dims_size();
  const bool fits = node.op_type() == "Conv" ? rank == 3 || rank == 4 : rank == 2;
  if (!fits) return false;
  const Tensor values = FloatValues(*weight);
  return values.defined() && values.elements() > 0;
}

// Whether its bias, if any, can be read, because the correction changes it.
bool HasUsableBias(const NodeProto& node, const OnnxWiring& wiring) {
  const std::string bias = OnnxInputName(node, 2);
  if (node.op_type() == "MatMul" || bias.empty()) return true;
  const onnx::TensorProto* weight = wiring.WeightOf(bias);
  return weight != nullptr && FloatValues(*weight).defined();
}

bool IsQuantisable(const NodeProto& node, const OnnxWiring& wiring) {
  if (!IsOwn(node) || node.output_size() != 1) return false;
  const std::string& op = node.op_type();
  if (op != "Conv" && op != "Gemm" && op != "MatMul") return false;
  if (op == "Gemm" &&
      (NodeInt(node, "transA", 0) != 0 || NodeFloat(node, "alpha", 1) != 1 || NodeFloat(node, "beta", 1) != 1)) {
    return false;
  }
  return HasUsableWeight(node, wiring) && HasUsableBias(node, wiring);
}

// Whether it is a MatMul of two computed values, as in attention.
bool IsProductOfTwo(const NodeProto& node, const OnnxWiring& wiring) {
  return IsOwn(node) && node.op_type() == "MatMul" && node.input_size() == 2 && wiring.IsComputed(node.input(0)) &&
         wiring.IsComputed(node.input(1));
}

// Finds the values that layers need as bytes, and walks up from them through nodes that can compute with bytes.
class Planner {
 public:
  Planner(const FloatModel& model, std::vector<QuantisableLayer> layers) : wiring_(model.graph()) {
    plan_.layers = std::move(layers);
  }

  QuantisationPlan Run() {
    std::set<std::string> products;
    for (const QuantisableLayer& layer : plan_.layers) {
      products.insert(layer.output);
      Want(layer.input);
      if (!layer.other.empty()) Want(layer.other);
    }
    for (size_t i = 0; i < wanted_.size(); ++i) WalkUp(std::string(wanted_[i]), products);
    // A convolution's output is always rounded, because runtimes have no other convolution of bytes.
    for (const QuantisableLayer& layer : plan_.layers) {
      if (layer.op_type == "Conv" && !wiring_.ReadersOf(layer.output).empty()) plan_.values[layer.output] = true;
    }
    return std::move(plan_);
  }

 private:
  void Want(const std::string& value) {
    if (!wiring_.IsComputed(value) || !plan_.values.emplace(value, false).second) return;
    wanted_.push_back(value);
  }

  void WalkUp(const std::string& value, const std::set<std::string>& products) {
    const NodeProto* maker = wiring_.MakerOf(value);
    if (products.count(value) > 0) plan_.values[value] = true;
    if (maker == nullptr || products.count(value) > 0 || !IsOwn(*maker)) return;
    if (maker->op_type() == "Relu" || maker->op_type() == "Clip") {
      const NodeProto* sum = wiring_.MakerOf(maker->input(0));
      maker = sum != nullptr && sum->op_type() == "Add" && UnitOutput(sum->output(0), wiring_) == value ? sum : nullptr;
    }
    if (maker != nullptr) TakeIn(*maker, value);
  }

  void TakeIn(const NodeProto& node, const std::string& value) {
    const std::string& op = node.op_type();
    const bool moves = kMoves.count(op) > 0 && node.output(0) == value;
    const bool concat = op == "Concat";
    const bool sum = op == "Add" && wiring_.IsComputed(node.input(0)) && wiring_.IsComputed(node.input(1));
    if (!moves && !concat && !sum && kAverages.count(op) == 0) return;
    std::vector<std::string> all{value};
    for (int i = 0; i < (concat || sum ? node.input_size() : 1); ++i) {
      if (!wiring_.IsComputed(node.input(i))) return;
      all.push_back(node.input(i));
    }
    plan_.values[value] = true;
    plan_.byte_nodes.insert(node.name());
    for (const std::string& each : all) Want(each);
    if (moves) plan_.same.push_back(all);
    if (concat) plan_.joined.push_back(all);
  }

  OnnxWiring wiring_;
  QuantisationPlan plan_;
  std::vector<std::string> wanted_;
};

// Groups values that share a range.
class SharedRanges {
 public:
  explicit SharedRanges(const std::map<std::string, ValueRange>& ranges) : ranges_(ranges) {
    for (const auto& [value, range] : ranges) head_[value] = value;
  }

  const ValueRange& RangeOf(const std::string& value) { return ranges_.at(HeadOf(value)); }
  void Join(const std::vector<std::string>& values) {
    const std::string head = HeadOf(values[0]);
    for (const std::string& value : values) {
      const std::string other = HeadOf(value);
      ranges_.at(head).Add(ranges_.at(other));
      head_[other] = head;
    }
  }

 private:
  std::string HeadOf(const std::string& value) {
    std::string at = value;
    while (head_.at(at) != at) at = head_.at(at);
    head_[value] = at;
    return at;
  }
  std::map<std::string, ValueRange> ranges_;
  std::map<std::string, std::string> head_;
};

bool AreAlike(const std::vector<std::string>& values, SharedRanges& ranges) {
  constexpr double kAlike = 4;
  double least = ranges.RangeOf(values[0]).width(), most = least;
  for (const std::string& value : values) {
    least = std::min(least, ranges.RangeOf(value).width());
    most = std::max(most, ranges.RangeOf(value).width());
  }
  return most <= kAlike * least;
}

}  // namespace

std::vector<QuantisableLayer> QuantisableLayers(const FloatModel& model, bool products) {
  const OnnxWiring wiring(model.graph());
  std::vector<QuantisableLayer> layers;
  for (const auto& node : model.graph().node()) {
    const bool of_two = products && IsProductOfTwo(node, wiring);
    if (!of_two && !IsQuantisable(node, wiring)) continue;
    const int64_t axis = node.op_type() == "MatMul" ? -1 : 1;
    layers.push_back({node.name(), node.op_type(), node.input(0), UnitOutput(node.output(0), wiring), axis,
                      of_two ? node.input(1) : ""});
  }
  return layers;
}

QuantisationPlan PlanQuantisation(const FloatModel& model, const std::vector<QuantisableLayer>& layers,
                                  const std::set<std::string>& left) {
  std::vector<QuantisableLayer> taken;
  for (const QuantisableLayer& layer : layers) {
    if (left.count(layer.node) == 0) taken.push_back(layer);
  }
  return Planner(model, std::move(taken)).Run();
}

std::map<std::string, ByteScale> ChooseScales(const QuantisationPlan& plan,
                                              const std::map<std::string, ValueRange>& ranges) {
  SharedRanges shared(ranges);
  for (const auto& values : plan.same) shared.Join(values);
  for (const auto& values : plan.joined) {
    if (AreAlike(values, shared)) shared.Join(values);
  }
  std::map<std::string, ByteScale> scales;
  for (const auto& [value, all] : plan.values) scales[value] = ByteScaleOf(shared.RangeOf(value));
  return scales;
}

}  // namespace hone

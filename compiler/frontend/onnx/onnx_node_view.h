// A converter's view of its node: inputs as expressions, attributes by name and kind.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/narrow_types.h"
#include "compiler/frontend/onnx/onnx_graph.h"
#include "compiler/frontend/onnx/typed_builder.h"
#include "core/nth.h"

namespace hone {

// Converts a graph within a node: takes the values of its inputs and returns its outputs.
using ConvertBody =
    std::function<std::vector<relay::ExprPtr>(const OnnxGraph& body, const std::vector<relay::ExprPtr>& inputs)>;

// Short-lived; borrows everything that it shows. "Throws" below means Error(kBadData) without the node's name, which
// the importer adds.
class OnnxNodeView {
 public:
  OnnxNodeView(const OnnxNode& node, int64_t opset, std::vector<relay::ExprPtr> inputs, TypedBuilder& builder,
               ConvertBody convert_body = nullptr, NarrowTypes narrow_types = {})
      : node_(node),
        opset_(opset),
        inputs_(std::move(inputs)),
        builder_(builder),
        convert_body_(std::move(convert_body)),
        narrow_types_(std::move(narrow_types)) {}

  // A view of another node in this one's place, with these inputs, none of them narrow.
  OnnxNodeView Of(const OnnxNode& node, std::vector<relay::ExprPtr> inputs) const {
    return {node, opset_, std::move(inputs), builder_, convert_body_};
  }

  int64_t opset() const { return opset_; }
  const OnnxNode& node() const { return node_; }
  TypedBuilder& builder() const { return builder_; }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  bool HasInput(int i) const { return i < num_inputs() && Nth(inputs_, i) != nullptr; }
  // Throws if it is absent.
  const relay::ExprPtr& Input(int i) const;
  const std::vector<relay::ExprPtr>& inputs() const { return inputs_; }
  const Shape& InputShape(int i) const { return builder_.ShapeOf(Input(i)); }
  // An input's narrow type; null if it has none, or is absent.
  const NarrowType* InputNarrow(int i) const {
    return i < static_cast<int>(narrow_types_.size()) ? Nth(narrow_types_, i) : nullptr;
  }
  int64_t InputRank(int i) const { return static_cast<int64_t>(InputShape(i).size()); }
  // Null if its value is not known at import time.
  const Tensor* InputValue(int i) const { return builder_.ValueOf(Input(i)); }
  // The value of an integer input such as axes; nullopt if it is absent. Throws if it is not known at import time.
  std::optional<std::vector<int64_t>> InputInts(int i, std::string_view what) const;

  // These throw if the attribute is of another kind.
  bool HasAttr(std::string_view name) const { return Find(name) != nullptr; }
  int64_t Int(std::string_view name, int64_t otherwise) const;
  double Float(std::string_view name, double otherwise) const;
  std::string String(std::string_view name, std::string_view otherwise) const;
  std::vector<int64_t> Ints(std::string_view name, std::vector<int64_t> otherwise) const;
  // Throws if it is absent.
  const OnnxGraph& Body(std::string_view name) const;
  // The outputs of a graph within this node, which can use the values around it. Each call computes it once more.
  // Throws if the number of inputs differs, and whatever its nodes' converters throw.
  std::vector<relay::ExprPtr> Results(const OnnxGraph& body, const std::vector<relay::ExprPtr>& inputs) const {
    return convert_body_(body, inputs);
  }
  // Null if absent.
  const OnnxAttribute* Find(std::string_view name) const;
  // An axis in [0, rank); negative ones count from the end. Throws if it is outside.
  static int64_t Axis(int64_t axis, int64_t rank);
  // Several axes, each as Axis gives it; throws if one occurs twice.
  static std::vector<int64_t> Axes(std::vector<int64_t> axes, int64_t rank);

  relay::ExprPtr Call(std::string_view op, std::vector<relay::ExprPtr> args, relay::Attrs attrs = {}) const {
    return builder_.Call(op, std::move(args), std::move(attrs));
  }
  // Every `step`-th position of one axis in [begin, end).
  relay::ExprPtr Slice(const relay::ExprPtr& expr, int64_t axis, int64_t begin, int64_t end, int64_t step = 1) const;
  // The reshaped expression, or the expression itself if it has this shape.
  relay::ExprPtr Reshape(const relay::ExprPtr& expr, const Shape& shape) const;

 private:
  const OnnxAttribute* Find(std::string_view name, OnnxAttribute::Kind kind) const;

  const OnnxNode& node_;
  int64_t opset_;
  std::vector<relay::ExprPtr> inputs_;
  TypedBuilder& builder_;
  ConvertBody convert_body_;
  NarrowTypes narrow_types_;
};

// Throws Error(kBadData).
[[noreturn]] void RefuseNode(const std::string& why);

}  // namespace hone

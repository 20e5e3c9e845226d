// Nodes that a converter makes of others: operators of ONNX Runtime are compositions of ONNX's own.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

using NodeAttributes = std::vector<std::pair<std::string, OnnxAttribute>>;

OnnxAttribute NodeInt(int64_t value);
OnnxAttribute NodeFloat(double value);
OnnxAttribute NodeInts(std::vector<int64_t> values);

// The node's attributes of these names, those that it has.
NodeAttributes AttributesOf(const OnnxNodeView& view, const std::vector<std::string_view>& names);

// The first result of an operator that hone supports, on these inputs (null: left out). It has the form of the newest
// opset in which ONNX Runtime's operators are defined, 21. Throws what the operator's converter throws.
relay::ExprPtr Composed(const OnnxNodeView& view, std::string_view op_type, std::vector<relay::ExprPtr> inputs,
                        NodeAttributes attributes = {}, std::string_view domain = {});

// As Composed, all results of a node with `outputs` outputs.
std::vector<relay::ExprPtr> ComposedResults(const OnnxNodeView& view, std::string_view op_type,
                                            std::vector<relay::ExprPtr> inputs, NodeAttributes attributes,
                                            size_t outputs, std::string_view domain = {});

// As Composed for an operator whose image, its first input, and result have the channels last: N x H x W x C.
relay::ExprPtr ComposedChannelsLast(const OnnxNodeView& view, std::string_view op_type,
                                    std::vector<relay::ExprPtr> inputs, NodeAttributes attributes = {},
                                    std::string_view domain = {});

}  // namespace hone

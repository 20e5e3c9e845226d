// A row of the table of ONNX operators, with its converter to Relay. The rows are in compiler/ops.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// Returns the node's outputs, or the first of them. Uses of omitted ones (masks, indices) are refused. Throws
// Error(kBadData) without the node's name.
using OnnxConvert = std::vector<relay::ExprPtr> (*)(const OnnxNodeView& view);

// The result of importing an operator.
struct OnnxOutcome {
  // The Relay operators that its nodes may become, perhaps with other calls: names separated by blanks. Values that the
  // import computes become constants and do not count. Empty for operators of ONNX Runtime that no test of the frontend
  // imports, and for those whose name ONNX's own domain has too.
  std::string becomes = {};
  // Whether it takes values whose extents are counted at run time (counts.h). Its converter then needs no extent except
  // through the graph's operators, which pass counts on. One that computes with its input's dimensions (a mean's
  // divisor, a window's centre) would take the upper bound for the actual extent.
  bool takes_counts = false;
  // Whether inputs may be sequences or optional values (sequences.h).
  bool takes_sequences = false;
};

struct OnnxOperator {
  std::string_view op_type;
  int min_inputs;
  int max_inputs;  // -1: any number
  OnnxConvert convert;
  std::vector<std::string_view> attributes;  // attributes that it may have, in any opset
  OnnxOutcome outcome = {};
  std::string_view domain = {};  // empty: ONNX's own
};
// The domain of operators that ONNX Runtime adds; its quantiser writes them.
inline constexpr std::string_view kMicrosoft = "com.microsoft";
// The domain of ONNX's classical models.
inline constexpr std::string_view kClassical = "ai.onnx.ml";
// The domain of ONNX's optimisers.
inline constexpr std::string_view kTraining = "ai.onnx.preview.training";
using OnnxOperatorTable = std::vector<OnnxOperator>;

// The rows of all families of operators, in no order. Defined with their list, in compiler/ops.
OnnxOperatorTable AllOnnxOperators();

// The names of all operators of all domains.
std::vector<std::string_view> OnnxOperatorNames();
// Null if hone does not support the operator. The domain is empty for ONNX's own operators.
const OnnxOperator* FindOnnxOperator(std::string_view domain, std::string_view op_type);
// Throws Error(kBadData) if the node's inputs, outputs or attributes are none that the row has.
void RequireFits(const OnnxNode& node, const OnnxOperator& row);
// The ONNX operators whose rows say that they become the Relay operator; sorted, empty if there are none. Names live as
// long as the process.
std::vector<std::string_view> OnnxOperatorsOf(std::string_view relay_operator);

}  // namespace hone

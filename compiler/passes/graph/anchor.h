// What a fused function with an anchor computes, in a schedule's words.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compiler/relay/expr.h"
#include "core/config_source.h"
#include "core/workload.h"

namespace hone {

// The note of a function that Fuse made around an anchor. The function's parameters are data, [scale, shift], weight,
// [bias], [residual] in this order.
struct Anchor : relay::Note {
  Workload workload;  // with the epilogue's class
  Epilogue epilogue;
  std::string node;                    // the model's name of the call; may be empty
  bool exact_sums = false;             // of whole numbers: no schedule but those that add plain products
  std::optional<ConfigChoice> choice;  // the kernel, from ChooseLayouts on
  // "anchor", the operator; with a choice also workload, epilogue, schedule, config, source, record and expected_ns.
  relay::Attrs Printed() const override;
};

// Null for a function without an anchor. It lives as long as the function.
const Anchor* AnchorOf(const relay::Function& function);
// The kernel chosen for the function; null before ChooseLayouts and for a function without an anchor.
const ConfigChoice* ChoiceOf(const relay::Function& function);

// The call whose operator schedules compute: nn.conv2d of NCHW data and OIHW weights, nn.dense of a matrix or
// nn.batch_matmul, of floats with known shapes. Null for any other expression.
const relay::Call* AsAnchor(const relay::ExprPtr& expr);

// Reads what Fuse grouped around the anchor, whose operator is given: a prologue ahead of it and an epilogue behind it,
// or transposes around a batch_matmul, which are its layouts.
Anchor ReadAnchor(const relay::ExprPtr& body, const std::string& op);

// The axes of a batch_matmul's data (0), weight (1) and output (2) as its attributes say: "BMK" or "BKM", "BNK" or
// "BKN", "BMN".
std::string MatmulAxes(const relay::Call& matmul, size_t operand);

// The activation that the call is, with its bounds in `epilogue`; false when it is none that epilogues have.
bool SetActivation(const relay::ExprPtr& expr, Epilogue& epilogue);

}  // namespace hone

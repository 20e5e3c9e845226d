// What a fused function with an anchor computes, in a schedule's words.
#pragma once

#include <cstdint>
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
  bool exact_sums = false;             // sums of integers, or kept exact: only plain products
  std::optional<ConfigChoice> choice;  // the kernel, from ChooseLayouts on
  // "anchor", the operator; with a choice also workload, epilogue, schedule, config, source, record and expected_ns.
  relay::Attrs Printed() const override;
};

// Null for a function without an anchor. It lives as long as the function.
const Anchor* AnchorOf(const relay::Function& function);
// The kernel chosen for the function; null before ChooseLayouts and for a function without an anchor.
const ConfigChoice* ChoiceOf(const relay::Function& function);

// What Fuse takes next to an anchor: a prologue ahead of it and an epilogue behind it (bias, residual, activation), or
// the transposes around it, which are its layouts.
enum class AnchorNeighbours : uint8_t { kEpilogue, kTransposes };

// An operator that schedules compute, as the passes see it. Its arguments are data and weight.
struct AnchorOperator {
  std::string_view name;
  size_t rank;                                                // of data, weight and result
  bool (*fits)(const relay::Call& call);                      // null: schedules know all of them
  void (*read_attrs)(const relay::Call& call, Workload& to);  // null: shapes say it all
  AnchorNeighbours neighbours;
};

// The row of the call's operator: of nn.conv2d, nn.dense or nn.batch_matmul; null when it has none.
const AnchorOperator* FindAnchorOperator(const relay::Call& call);
// The same for a call that schedules can compute: of floats with known shapes, a convolution of NCHW data and OIHW
// weights. Null for any other expression.
const AnchorOperator* AsAnchor(const relay::ExprPtr& expr);

// Reads what Fuse grouped around an anchor with these neighbours.
Anchor ReadAnchor(const relay::ExprPtr& body, AnchorNeighbours neighbours);

// The axes of a batch_matmul's data (0), weight (1) and output (2) as its attributes say: "BMK" or "BKM", "BNK" or
// "BKN", "BMN".
std::string MatmulAxes(const relay::Call& matmul, size_t operand);

// The activation that the call is, with its bounds in `epilogue`; false when it is none that epilogues have.
bool SetActivation(const relay::ExprPtr& expr, Epilogue& epilogue);

}  // namespace hone

// The computation of a fused function with an anchor, in the terms of schedules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/candidate.h"
#include "core/workload.h"

namespace hone {

// A kernel for the runs that need at most the positions `most` of an anchor's result (graph/anchor_result.h).
struct AnchorVariant {
  ConfigChoice choice;
  Shape most;  // empty: a package that is repeated knows its limits
  // The constant weights as the kernel reads them; null: as the anchor's own kernel does. ChooseLayouts sets it.
  relay::ExprPtr weight = nullptr;
};

// The note that Fuse puts on a function with an anchor. The function's parameters are data, [scale, shift], weight,
// [bias], [residual] in this order.
struct Anchor : relay::Note {
  Workload workload;  // with the epilogue's class
  Epilogue epilogue;
  std::string node;                    // the model's name of the call; may be empty
  bool exact_sums = false;             // integer sums, or sums to be kept exact: only schedules that add plain products
  std::optional<ConfigChoice> choice;  // the kernel, from ChooseLayouts on
  // Kernels with operands in the same layouts, except for the weights. The first one that a run's extents allow takes
  // the kernel's place.
  std::vector<AnchorVariant> variants;
  // Prints "anchor" (the operator); with a choice also workload, epilogue, schedule, config, source, record,
  // expected_ns, and schedule, config and result of each variant.
  relay::Attrs Printed() const override;
};

// The function's anchor; null if it has none. It lives as long as the function.
const Anchor* AnchorOf(const relay::Function& function);
// The kernel chosen for the function; null before ChooseLayouts and for a function without an anchor.
const ConfigChoice* ChoiceOf(const relay::Function& function);

// The function with this kernel in place of its own, and without variants.
relay::FunctionPtr WithChoice(const relay::Function& function, const ConfigChoice& choice);

// Position of the anchor's weight among the function's parameters.
size_t WeightOf(const Anchor& anchor);

// Calls that Fuse takes next to an anchor. They are a prologue ahead and an epilogue behind (bias, residual,
// activation), or the transposes around it, which become its layouts.
enum class AnchorNeighbours : uint8_t { kEpilogue, kTransposes };

// An operator that schedules compute, as the passes treat it. Its arguments are data and weight.
struct AnchorOperator {
  std::string_view name;
  size_t rank;                                                // of data, weight and result
  bool (*fits)(const relay::Call& call);                      // null: schedules know all of them
  void (*read_attrs)(const relay::Call& call, Workload& to);  // null: the shapes say everything
  AnchorNeighbours neighbours;
};

// The row for the call's operator, nn.conv2d, nn.dense, nn.dense_blocks or nn.batch_matmul; null for any other
// operator.
const AnchorOperator* FindAnchorOperator(const relay::Call& call);
// As above, but null unless schedules can compute the call: its types must be supported and its shapes known. A
// convolution must have NCHW data and OIHW weights. Null for any other expression.
const AnchorOperator* AsAnchor(const relay::ExprPtr& expr);

// Reads the group that Fuse formed around an anchor with these neighbours.
Anchor ReadAnchor(const relay::ExprPtr& body, AnchorNeighbours neighbours);

// The axes of a batch_matmul's data (0), weight (1) and output (2), following its attributes: "BMK" or "BKM", "BNK" or
// "BKN", "BMN".
std::string MatmulAxes(const relay::Call& matmul, size_t operand);

// Sets the activation and its bounds in `epilogue` if the call is one that epilogues have; else returns false.
bool SetActivation(const relay::ExprPtr& expr, Epilogue& epilogue);

// The model's nodes that a fused function computes: the names of the calls in its body, each once, in post order. Calls
// without a name are skipped.
std::vector<std::string> NodeNames(const relay::Function& function);

}  // namespace hone

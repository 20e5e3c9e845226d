// What a fused function with an anchor computes, in a schedule's words.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compiler/relay/expr.h"
#include "core/workload.h"

namespace hone {

struct Anchor {
  const relay::Call* call = nullptr;  // lives as long as the function
  Workload workload;                  // with the epilogue's class
  Epilogue epilogue;
};

// The call whose operator schedules compute: nn.conv2d of NCHW data and OIHW weights, nn.dense of a matrix or
// nn.batch_matmul, of floats with known shapes. Null for any other expression.
const relay::Call* AsAnchor(const relay::ExprPtr& expr);

// Reads a primitive function that Fuse made; nullopt when it has no anchor. The function's parameters are data, [scale,
// shift], weight, [bias], [residual] in this order. A batch_matmul may have transposes around it: they are its layouts.
std::optional<Anchor> AnchorOf(const relay::Function& function);

// The axes of a batch_matmul's data (0), weight (1) and output (2) as its attributes say: "BMK" or "BKM", "BNK" or
// "BKN", "BMN".
std::string MatmulAxes(const relay::Call& matmul, size_t operand);

// The activation that the call is, with its bounds in `epilogue`; false when it is none that epilogues have.
bool SetActivation(const relay::ExprPtr& expr, Epilogue& epilogue);

}  // namespace hone

// Errors that name a node.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "compiler/frontend/onnx/onnx_graph.h"
#include "core/error.h"

namespace hone {

// Names in a model are untrusted bytes, while messages and notices are one line of text.
inline std::string OneLine(std::string text) {
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  return text;
}

// The line names only the innermost node: enclosing nodes, in whose graphs it lies, pass the error on unchanged.
class NodeError : public Error {
 public:
  // `tells_of_branch`: the line already says that the node is in a branch which is computed whatever the condition.
  NodeError(ExitCode code, const std::string& line, bool tells_of_branch = false)
      : Error(code, line), tells_of_branch_(tells_of_branch) {}
  bool tells_of_branch() const { return tells_of_branch_; }

 private:
  bool tells_of_branch_;
};

// Throws Error(kBadData) with a line that names the node.
[[noreturn]] inline void RefuseNode(const OnnxNode& node, const std::string& why) {
  throw Error(ExitCode::kBadData, fmt::format("node \"{}\" ({}): {}", node.name, node.op_type, why));
}

}  // namespace hone

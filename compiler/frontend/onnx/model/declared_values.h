// Comparison of the types that a file declares for its values with those that its nodes give.
#pragma once

#include <string>
#include <vector>

#include "compiler/frontend/onnx/onnx_graph.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/frontend/onnx/typed_builder.h"
#include "core/error.h"

namespace hone {

// Borrows the graph. The file's types are those of the model as it was written, so that nothing is compared if other
// shapes are given. A declared dimension counts if it is a number.
class DeclaredValues {
 public:
  DeclaredValues(const OnnxGraph& graph, const OnnxImportOptions& options)
      : graph_(graph), as_written_(options.shapes.empty() && options.dims.empty()) {}

  // Keeps the first result of a node that differs.
  void Compare(const OnnxNode& node, const std::string& result, const relay::ExprPtr& expr,
               const TypedBuilder& builder);
  // Adds the difference that was kept to the notices: "node "up" (Resize) gives "y" float32 1x3x7x7, and the file
  // declares float32 1x3x8x8; the former holds".
  void Tell(std::vector<std::string>& notices) const;
  // Throws the error, with that difference as a possible cause.
  [[noreturn]] void Throw(const Error& error) const;

 private:
  const OnnxGraph& graph_;
  bool as_written_;
  std::string difference_;
};

}  // namespace hone

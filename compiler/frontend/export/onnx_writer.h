// Collects the parts of an ONNX model. This header does not show protobuf.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

using OnnxExportAttribute = std::variant<int64_t, double, std::string, std::vector<int64_t>>;
using OnnxExportAttributes = std::vector<std::pair<std::string, OnnxExportAttribute>>;

// Expressions must be exported after their arguments. Each gets the name of the ONNX value that holds its result.
class OnnxWriter {
 public:
  // The module needs its types.
  explicit OnnxWriter(const relay::IRModule& module);
  ~OnnxWriter();

  // Adds an input, or an initializer if the module binds a value to the parameter.
  void AddParam(const relay::Var& param);
  void AddInitializer(const std::string& name, const Tensor& value);
  // An unused name that begins with `hint`.
  std::string NewName(const std::string& hint);
  void AddNode(const std::string& op_type, const std::vector<std::string>& inputs, const std::string& output,
               const OnnxExportAttributes& attributes = {});
  // Adds a node with several outputs, named after the first one.
  void AddNode(const std::string& op_type, const std::vector<std::string>& inputs,
               const std::vector<std::string>& outputs, const OnnxExportAttributes& attributes = {});
  void AddOutput(const std::string& name, const relay::Type& type);
  // Throws Error(kBug) if the expression was not exported before.
  const std::string& NameOf(const relay::ExprPtr& expr) const;
  void SetName(const relay::Expr* expr, const std::string& name) { names_[expr] = name; }
  // The name for the result of `expr`: the reserved name of an output, else a new one made of `hint`.
  std::string ResultName(const relay::Expr* expr, const std::string& hint);
  // Reserves the name for the result of `expr`. The first of two reservations for one expression holds.
  void Reserve(const relay::Expr* expr, const std::string& name) { reserved_.emplace(expr, name); }
  // Whether a bias_add is the only user of `expr`; the two then make one ONNX node.
  bool TakenByBias(const relay::Expr* expr) const;

  std::string Finish();

 private:
  struct Model;
  const relay::IRModule& module_;
  std::unique_ptr<Model> model_;
  std::unordered_map<const relay::Expr*, std::string> names_;
  std::unordered_map<std::string, int> taken_;
  std::unordered_map<const relay::Expr*, std::string> reserved_;
  std::unordered_map<const relay::Expr*, int> uses_;
  std::unordered_set<const relay::Expr*> biased_;  // operands of a bias_add
};

// Adds the node, or the nodes, that compute `expr`. Throws Error(kBadData) naming an operator without an ONNX form.
void ExportNode(OnnxWriter& writer, const relay::ExprPtr& expr);

}  // namespace hone

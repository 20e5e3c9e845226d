// State that the functions of one text share while they are read.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/relay/expr.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/text/lexer.h"

namespace hone::relay {

class ModuleText {
 public:
  ModuleText(std::string_view source, const std::map<std::string, Tensor>& values) : source_(source), values_(values) {}

  // `reader` is at the definition's parenthesis. Throws Error(kBadData) for a name that is already defined.
  void Define(const Token& name, const TokenReader& reader);
  // Returns the function and reads it at the first call. Callees are read before their callers, wherever they are in
  // the text. `depth` is as in FunctionParser. Throws Error(kBadData) if there is no such function, or if it calls
  // itself.
  FunctionPtr Global(const Token& name, const TokenReader& from, int depth);
  // Reads the functions that nothing called, so that their errors are reported.
  void ReadAll();

  // The constant of that name, such as `meta[relay.Constant][3]`: one node per name. Throws Error(kBadData) if it has
  // no value.
  ExprPtr ConstantOf(const std::string& name, const TextPosition& at, const TokenReader& from);

  bool HasConstant(const std::string& name) const { return constants_.count(name) != 0; }

  // Place and Declare record an expression's position and its declared type.
  void Place(const Expr& expr, const TextPosition& at) { (*places_)[&expr] = at; }
  void Declare(const ExprPtr& expr, const TypePtr& type, const TextPosition& at, const TokenReader& from);

  // Number of expressions in a function, with callees counted at each call. FunctionParser refuses more than
  // kMostNodes: a few functions that call each other twice could stand for any number.
  int64_t SizeOf(const Function& function) const { return sizes_.at(&function); }
  void SetSize(const Function& function, int64_t nodes) { sizes_[&function] = nodes; }
  static constexpr int64_t kMostNodes = 1'000'000;

  const std::map<std::string, Tensor>& values() const { return values_; }
  // The result stays valid after this object is gone.
  Annotations annotations() const;

 private:
  struct Definition {
    TokenReader reader;
    FunctionPtr function;  // null until it is read
    bool reading = false;
  };

  const std::string source_;
  const std::map<std::string, Tensor>& values_;
  std::map<std::string, Definition> definitions_;
  std::map<std::string, ExprPtr> constants_;
  std::shared_ptr<std::unordered_map<const Expr*, TextPosition>> places_ =
      std::make_shared<std::unordered_map<const Expr*, TextPosition>>();
  std::unordered_map<const Expr*, TypePtr> declared_;
  std::vector<ExprPtr> kept_;  // keeps declared_'s keys alive, so that no address is used again
  std::unordered_map<const Function*, int64_t> sizes_;
};

}  // namespace hone::relay

// What the functions of one text share while they are read.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/relay/expr.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/text/token_reader.h"

namespace hone::relay {

class ModuleText {
 public:
  ModuleText(std::string_view source, const std::map<std::string, Tensor>& values) : source_(source), values_(values) {}

  // `reader` stands at the definition's parenthesis. Throws Error(kBadData) for a name that is there already.
  void Define(const Token& name, const TokenReader& reader);
  // Reads the function when it is asked for first; callees are read before their callers, wherever they stand. `depth`
  // as in FunctionParser. Throws Error(kBadData) when there is none, or when it calls itself.
  FunctionPtr Global(const Token& name, const TokenReader& from, int depth);
  // Reads what nobody asked for, so that its errors are seen.
  void ReadAll();

  // `meta[relay.Constant][3]` by that name: one node for one name. Throws Error(kBadData) when it has no value.
  ExprPtr ConstantOf(const std::string& name, const TextPosition& at, const TokenReader& from);

  bool HasConstant(const std::string& name) const { return constants_.count(name) != 0; }

  // Remember where an expression stands, and what it was declared to be.
  void Place(const Expr& expr, const TextPosition& at) { (*places_)[&expr] = at; }
  void Declare(const ExprPtr& expr, const TypePtr& type, const TextPosition& at, const TokenReader& from);

  // How many expressions a function is with those that it calls in the place of each call. Only grows; `from` fails
  // beyond kMostNodes: a few functions that call each other twice could stand for any number.
  int64_t SizeOf(const Function& function) const { return sizes_.at(&function); }
  void SetSize(const Function& function, int64_t nodes) { sizes_[&function] = nodes; }
  static constexpr int64_t kMostNodes = 1'000'000;

  const std::map<std::string, Tensor>& values() const { return values_; }
  // They go on to hold after this object.
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
  std::vector<ExprPtr> kept_;  // what declared_ points to: an expression that nothing uses must not leave its address
  std::unordered_map<const Function*, int64_t> sizes_;
};

}  // namespace hone::relay

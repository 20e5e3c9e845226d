// Relay's text as a graph: the reverse of printer.h. docs/reference/relay.md describes the text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/relay/expr.h"
#include "compiler/relay/infer_type.h"

namespace hone::relay {

struct ParsedModule {
  IRModule module;  // has only the types of its parameters and constants: run InferParsed
  // For the module's nodes: types that `let` and `->` declare, and "net.relay:14:8: nn.conv2d" for errors.
  Annotations annotations;
  // The names of `values` that the text does not use, sorted.
  std::vector<std::string> unused;
};

// Reads a module (`def @main(...) {...}` and the functions that it calls), a function (`fn (...) {...}`), or the lines
// of an expression. An expression's free variables become the parameters of main in the order in which they are
// declared or used. `values` are by name: a value is bound to main's parameter of that name, or becomes the constant of
// that name, such as `meta[relay.Constant][3]`. `source`, the file's path, begins each error.
//
// Throws Error(kBadData) with line and column:
// - for a text that is none of these, or names an unknown operator, attribute, variable or function;
// - for a function that calls itself, and for nesting or calls that are too deep;
// - for a constant without a value, and for a value whose type is not the declared one.
ParsedModule ParseModule(std::string_view text, std::string_view source, const std::map<std::string, Tensor>& values);

// InferType of a parsed module; errors have line and column.
IRModule InferParsed(const ParsedModule& parsed);

}  // namespace hone::relay

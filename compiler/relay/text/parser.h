// Relay's text as a graph: the reverse of printer.h. docs/relay.md says what is read.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/relay/expr.h"
#include "compiler/relay/infer_type.h"

namespace hone::relay {

struct ParsedModule {
  IRModule module;  // no types but those of its parameters and constants: run InferParsed
  // Of the module's nodes: what `let` and `->` declare, and "net.relay:14:8: nn.conv2d" for errors.
  Annotations annotations;
  // The names of `values` that the text has no place for, sorted.
  std::vector<std::string> unused;
};

// A module (`def @main(...) {...}` and the functions that it calls), a function (`fn (...) {...}`), or the lines of an
// expression, whose free variables become the parameters of main in the order in which they are declared or used.
// `values` by name: a parameter of main that has one is bound to it, and the constant `meta[relay.Constant][3]` is the
// value of that name. `source` begins each error: the file's path.
// Throws Error(kBadData) with line and column for what is no such text, names an operator, attribute, variable or
// function that is not there, calls itself, or nests or calls too deep; for a constant without a value; and for a
// value whose type is not the declared one.
ParsedModule ParseModule(std::string_view text, std::string_view source, const std::map<std::string, Tensor>& values);

// InferType of what was parsed: errors have line and column.
IRModule InferParsed(const ParsedModule& parsed);

}  // namespace hone::relay

// Relay's text form.
#pragma once

#include <map>
#include <string>

#include "compiler/relay/expr.h"

namespace hone::relay {

struct PrintOptions {
  bool types = true;  // print /* ty=... */ after calls when the type is known
  // "module": "def @f(...) {...}" of each function that is called by its name, then "def @main(...) {...}".
  // "fn": main alone, as "fn (...) {...}". "expr": main's lines alone, with "free_var %x: ...;" where %x is first used.
  std::string as = "module";
};
// text/parser.h reads it.
std::string ToText(const IRModule& module, const PrintOptions& options = {});

// The values that the text leaves out: those bound to main's parameters by the parameters' names, and each constant
// that is no scalar as "meta[relay.Constant][3]". They share the module's memory. Throws Error(kUsage) for a parameter
// whose name is a constant's.
std::map<std::string, Tensor> NamedValues(const IRModule& module);

}  // namespace hone::relay

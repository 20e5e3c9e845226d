// Relay's text form.
#pragma once

#include <map>
#include <string>

#include "compiler/relay/expr.h"

namespace hone::relay {

struct PrintOptions {
  bool types = true;  // print /* ty=... */ after calls if the type is known
  // "module": "def @f(...) {...}" of each function that is called by its name, then "def @main(...) {...}". "fn": only
  // main, as "fn (...) {...}". "expr": only main's lines, with "free_var %x: ...;" before the first use of %x.
  std::string as = "module";
};
// text/parser.h reads this text.
std::string ToText(const IRModule& module, const PrintOptions& options = {});

// The values that the text leaves out. Those bound to main's parameters have the parameters' names. Each constant that
// is no scalar has a name such as "meta[relay.Constant][3]". They share the module's memory. Throws Error(kUsage) for a
// parameter with a constant's name.
std::map<std::string, Tensor> NamedValues(const IRModule& module);

}  // namespace hone::relay

// Relay's text form.
#pragma once

#include <string>

#include "compiler/relay/expr.h"

namespace hone::relay {

struct PrintOptions {
  bool types = true;          // print /* ty=... */ after calls when the type is known
  std::string as = "module";  // "module": "def @main(...)"; "fn": "fn (...) {...}"; "expr": the body's lines alone
};
std::string ToText(const IRModule& module, const PrintOptions& options = {});

}  // namespace hone::relay

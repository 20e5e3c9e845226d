// Models built for this machine, compared with the reference.
#pragma once

#include "compiler/build.h"
#include "compiler/relay/expr.h"

namespace hone {

// Builds the module at the level and runs it on normal inputs with one thread and with two. Expects every output within
// 1e-5 of the reference's largest magnitude, and both runs the same.
void ExpectAsReference(const relay::IRModule& module, int opt_level = 3);
// As above, with the given options: for any target that this machine can run.
void ExpectAsReference(const relay::IRModule& module, const BuildOptions& options);

// The typed module of an expression. Its parameters are the Vars within, in post order.
relay::IRModule ModuleOf(const relay::ExprPtr& body);

}  // namespace hone

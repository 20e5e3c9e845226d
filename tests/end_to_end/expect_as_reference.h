// Models built for this machine, held to the reference.
#pragma once

#include "compiler/build.h"
#include "compiler/relay/expr.h"

namespace hone {

// Builds the module at the level, runs it with one thread and with two on normal inputs, and expects every output
// within 1e-5 of the reference's largest magnitude, and both runs the same.
void ExpectAsReference(const relay::IRModule& module, int opt_level = 3);
// The same, built as asked: for any target that this machine can run.
void ExpectAsReference(const relay::IRModule& module, const BuildOptions& options);

// The module of an expression: its parameters are the Vars within, in post order. Typed.
relay::IRModule ModuleOf(const relay::ExprPtr& body);

}  // namespace hone

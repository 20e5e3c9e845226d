// The door for programs that make graphs in C++: from operators to a function, passes over it, and its package.
// Installed as <hone/compiler/graph.h>. The headers that it includes are installed with it, and none of the compiler's
// others.
#pragma once

#include "compiler/build.h"
#include "compiler/codegen/target/host.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/frontend/zoo/zoo.h"
#include "compiler/passes/chosen_passes.h"
#include "compiler/passes/passes.h"
#include "compiler/relay/expr.h"
#include "compiler/relay/function.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/initialise_params.h"
#include "compiler/relay/op.h"
#include "compiler/relay/pattern.h"
#include "compiler/relay/printer.h"
#include "compiler/relay/reference.h"
#include "compiler/relay/structural_equal.h"
#include "compiler/relay/text/parser.h"
#include "compiler/relay/visitor.h"
#include "core/error.h"

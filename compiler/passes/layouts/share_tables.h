// Pass: a matrix whose rows are picked, and which a product reads packed, is stored once.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A language model may use one table twice: the rows of its tokens go in, and all rows are multiplied with what comes
// out. Picking a row reads few elements, so it reads them where the product's panels hold them:
//
//    {take}(table, tokens)            becomes    {take}(packed, tokens)
//    {nn.dense}(x, packed)                       {nn.dense}(x, packed)
//
// A constant is replaced by a packed one of the same elements if all its readers only pick rows of it. Expects the
// result of FoldLayouts.
relay::IRModule ShareTables(const relay::IRModule& module);

}  // namespace hone

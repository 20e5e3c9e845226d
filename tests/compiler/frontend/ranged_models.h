// Runs models whose dimensions are ranges, and compares them with the same models of fixed dimensions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/onnx_import.h"
#include "tests/compiler/frontend/model_maker.h"

namespace hone {

// The extents of one run, by dimension.
using Extents = std::map<std::string, int64_t>;

// Names an axis of an input; the other axes keep their dN.
void Name(ModelMaker& model, int input, int axis, const std::string& name);

// The inputs as @main takes them, with garbage behind the extents: NaN, or the greatest integer.
std::vector<Tensor> ArgumentsWithGarbage(const relay::Function& main, const std::map<std::string, Tensor>& inputs);

// For each of `runs`, the model is imported with `ranges` and evaluated at these extents, and imported for these
// extents alone. Outputs must agree in shape and value, with zeros and with garbage behind the extents. Integer inputs
// are below `below`. Ranges of options.dims are fixed.
void ExpectEqualToFixed(const std::string& bytes, const std::map<std::string, DimRange>& ranges,
                        const std::vector<Extents>& runs, const OnnxImportOptions& options = {}, int64_t below = 4);

}  // namespace hone

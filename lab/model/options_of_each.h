// The options of models for several models at once.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lab/model/model.h"

namespace hone {

// `details` for each of the models. --shape, --dim and --value go to those models that have an input or a free
// dimension of the name. If none has it, an .onnx model keeps it, so that loading tells which names there are. Throws
// Error as LoadModel does for a file that cannot be read. `elsewhere` has names of dimensions that packages beside the
// models have: models without them do not get these.
std::vector<ModelOptions> OptionsOfEach(const std::vector<std::string>& names, const ModelOptions& details,
                                        const std::set<std::string>& elsewhere = {});

}  // namespace hone

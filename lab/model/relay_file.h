// A model as a .relay file: Relay's text, with a .safetensors file of the values that the text omits.
#pragma once

#include <map>
#include <string>

#include "lab/model/model.h"

namespace hone {

// Whether the path's ending is that of a .relay file.
bool IsRelayFile(const std::string& path);

// If `params` is empty, parameters are inputs, and constants other than scalars are refused. Throws Error(kNoInput) for
// a missing file. Throws Error(kBadData) for a damaged one; errors in the text have line and column. Also kBadData,
// with the nearest name, for a value without a place in the text.
Model LoadRelay(const std::string& path, const std::string& params);
// Loads it with `others`, from the file `origin`, replacing values of `params`; without `params` they are the only
// values. Also throws as ReplaceValues (compiler/relay/replace_values.h) does.
Model LoadRelay(const std::string& path, const std::string& params, const std::map<std::string, Tensor>& others,
                const std::string& origin);

}  // namespace hone

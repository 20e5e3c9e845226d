// A model as a .relay file: Relay's text, and beside it a .safetensors file with what the text leaves out.
#pragma once

#include <map>
#include <string>

#include "cli/model.h"

namespace hone {

// Whether a MODEL is named as one: by its ending.
bool IsRelayFile(const std::string& path);

// `params` may be empty: then parameters are inputs, and constants other than scalars are refused. Throws Error:
// kNoInput for a file that is not there, kBadData for one that is damaged (the text's errors have line and column), and
// for a value that the text has no place for, with the nearest name.
Model LoadRelay(const std::string& path, const std::string& params);
// The same with `others`, which are from the file `origin`, in the place of values that `params` has; without `params`
// they are all there are. Throws as ReplaceValues (compiler/relay/replace_values.h) does, too.
Model LoadRelay(const std::string& path, const std::string& params, const std::map<std::string, Tensor>& others,
                const std::string& origin);

}  // namespace hone

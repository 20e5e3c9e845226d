// Names of runtimes, and the programs that run them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rpc_runner/adapter/adapter.h"

namespace hone {

// The runtime that is hone itself.
inline constexpr const char* kHoneRuntime = "hone";

// The names that need no path: hone, and those whose adapters are installed with it, in alphabetical order.
std::vector<std::string> KnownRuntimes();

// A runtime as a user asks for it: "openvino:precision=default".
struct AskedRuntime {
  std::string text;     // all of it
  std::string runtime;  // the name or the path
  std::map<std::string, std::string> settings;
};
// Runtimes separated by commas; one may be named twice, to compare it with itself. Throws Error(kUsage) for settings
// of another form.
std::vector<AskedRuntime> ParseAskedRuntimes(const std::string& text);

// NAME or PATH, with settings as in "openvino:precision=default". A path contains a slash; a file that ends in .py is
// run by `python`. Throws Error: kUsage for an unknown name (with the nearest) or settings of another form; kNoInput
// for a missing file.
AdapterCommand ParseRuntime(const std::string& text, const std::string& python);
// Several, as ParseAskedRuntimes reads them.
std::vector<AdapterCommand> ParseRuntimes(const std::string& text, const std::string& python);

}  // namespace hone

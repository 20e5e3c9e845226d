// Files that somebody may have meant who named one that is not there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

// The names in a folder, in no order; empty if it cannot be read.
std::vector<std::string> NamesInFolder(const std::string& folder);
// The file beside `path` whose name is nearest, with its folder; empty if none is near.
std::string NearestFile(const std::string& path);
// "; here are a.onnx and b.onnx": the files beside `path` whose names end so, at most three. Empty if there are none.
std::string FilesHere(const std::string& path, std::string_view ending);

}  // namespace hone

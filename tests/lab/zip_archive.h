// Zip archives for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace hone {

// The files in order, stored or deflated.
std::string ZipArchive(const std::vector<std::pair<std::string, std::string>>& files, bool deflated);

}  // namespace hone

#include "lab/files/near_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "core/text/spelling.h"

namespace hone {
namespace {

std::filesystem::path FolderOf(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

}  // namespace

std::vector<std::string> NamesInFolder(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  return names;
}

std::string NearestFile(const std::string& path) {
  const std::filesystem::path file = path;
  const std::string near = Nearest(file.filename().string(), NamesInFolder(FolderOf(file).string()));
  return near.empty() ? "" : (file.parent_path() / near).string();
}

std::string FilesHere(const std::string& path, std::string_view ending) {
  constexpr size_t kMostNamed = 3;
  const std::filesystem::path file = path;
  std::vector<std::string> names = NamesInFolder(FolderOf(file).string());
  std::erase_if(names, [ending](const std::string& name) { return !name.ends_with(ending); });
  std::ranges::sort(names);
  if (names.size() > kMostNamed) names.resize(kMostNamed);
  for (std::string& name : names) name = (file.parent_path() / name).string();
  return names.empty() ? "" : fmt::format("; there {} {}", names.size() == 1 ? "is" : "are", fmt::join(names, ", "));
}

}  // namespace hone

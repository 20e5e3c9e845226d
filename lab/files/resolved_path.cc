#include "lab/files/resolved_path.h"

#include <filesystem>

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // the kernel's limit

}  // namespace

std::string ResolvedPath(const std::string& path) {
  fs::path at = path;
  std::error_code error;
  for (int links = 0; links < kMostLinks && fs::is_symlink(at, error); ++links) {
    const fs::path target = fs::read_symlink(at, error);
    if (error) break;
    at = at.parent_path() / target;
  }
  return at.string();
}

std::string CanonicalPath(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(ResolvedPath(path), error);
  fs::path canonical = fs::weakly_canonical(absolute, error);
  return (error ? absolute : canonical).string();
}

}  // namespace hone

#include "lab/files/output_guard.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <optional>

#include "core/error.h"
#include "db/store_kind.h"
#include "lab/files/resolved_path.h"

namespace hone {
namespace {

[[noreturn]] void RefuseOutput(const std::string& path, const std::string& why) {
  throw Error(ExitCode::kCannotCreate, fmt::format("cannot write {}: {}", path, why));
}

std::optional<struct stat> StatusOf(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 ? std::optional(info) : std::nullopt;
}

}  // namespace

OutputGuard& OutputGuard::Own() {
  static OutputGuard guard;
  return guard;
}

void OutputGuard::AddOne(const std::string& path, const std::string& named, Use use) {
  const auto info = StatusOf(path);
  if (info && S_ISREG(info->st_mode)) inputs_.try_emplace({info->st_dev, info->st_ino}, Input{named, use});
}

void OutputGuard::AddInput(const std::string& path, Use use) {
  const std::lock_guard lock(mutex_);
  AddOne(path, path, use);
  // SQLite names its files after the file that a link leads to.
  const std::string resolved = ResolvedPath(path);
  for (const char* suffix : kBesideStore) AddOne(resolved + suffix, path, use);
}

void OutputGuard::LetReplaceModels() {
  const std::lock_guard lock(mutex_);
  replaces_models_ = true;
}

void OutputGuard::AddOutput(const std::string& path) {
  const std::lock_guard lock(mutex_);
  CheckLocked(path);
  const auto info = StatusOf(path);
  // Several outputs may go to one pipe or device.
  if (info && !S_ISREG(info->st_mode)) return;
  const std::string file = info ? fmt::format("{}:{}", info->st_dev, info->st_ino) : CanonicalPath(path);
  const auto [at, is_new] = outputs_.try_emplace(file, path);
  if (!is_new)
    RefuseOutput(path,
                 fmt::format("another output of this command goes to {}; each takes a file of its own", at->second));
}

void OutputGuard::Check(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  CheckLocked(path);
}

void OutputGuard::CheckLocked(const std::string& path) const {
  const auto info = StatusOf(path);
  const auto input = info ? inputs_.find({info->st_dev, info->st_ino}) : inputs_.end();
  const bool is_model = input != inputs_.end() && input->second.use == Use::kModel;
  if (input != inputs_.end() && !(is_model && replaces_models_)) {
    RefuseOutput(path, fmt::format("this command reads {}; another name is right{}",
                                   input->second.path == path ? "it" : "that file as " + input->second.path,
                                   is_model ? ", or --force to replace the model" : ""));
  }
  // This check comes last, because reading a file that is open as a store would release the store's locks.
  if (const std::string kind = StoreKind(ResolvedPath(path)); !kind.empty())
    RefuseOutput(path, fmt::format("it is {}; another name is right", kind));
}

}  // namespace hone

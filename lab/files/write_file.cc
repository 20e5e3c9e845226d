#include "lab/files/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>

#include "core/error.h"
#include "db/store_kind.h"
#include "lab/files/fresh_file.h"
#include "lab/files/read_file.h"
#include "runtime/small_file.h"

namespace hone {

PipedOutput::PipedOutput(const ByteSink& sink) : sink_(sink) { setp(piece_.data(), piece_.data() + piece_.size()); }

PipedOutput::int_type PipedOutput::overflow(int_type next) {
  sync();
  if (traits_type::eq_int_type(next, traits_type::eof())) return traits_type::not_eof(next);
  *pptr() = traits_type::to_char_type(next);
  pbump(1);
  return next;
}

int PipedOutput::sync() {
  const std::string_view written(pbase(), static_cast<size_t>(pptr() - pbase()));
  setp(piece_.data(), piece_.data() + piece_.size());
  if (!written.empty()) sink_(written);
  return 0;
}

void WriteThrough(const ByteSink& sink, const StreamWriter& write) {
  PipedOutput buffer(sink);
  std::ostream out(&buffer);
  // Without exceptions a stream hides the cause of its failure.
  out.exceptions(std::ios::badbit);
  write(out);
  out.flush();
}

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
  if (const std::string kind = KindThatIsNeverReplaced(ResolvedPath(path)); !kind.empty())
    RefuseOutput(path, fmt::format("it is {}; another name is right", kind));
}

namespace {

namespace fs = std::filesystem;

[[noreturn]] void RefuseKindOfFile(const std::string& path, std::string_view why) {
  throw Error(ExitCode::kCannotCreate, fmt::format("cannot write {}: it is {}; a file is right", path, why));
}

// Whether the file is standard output, where the command's report would follow the bytes.
bool IsOwnOutput(const struct stat& file) {
  struct stat out{};
  return !S_ISCHR(file.st_mode) && ::fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == file.st_dev &&
         out.st_ino == file.st_ino;
}

void WriteInto(const std::string& path, const StreamWriter& write) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) CannotWrite(path, false);
  try {
    WriteThrough(
        [&](std::string_view bytes) {
          if (!WriteAll(fd, bytes)) CannotWrite(path, true);
        },
        write);
  } catch (...) {
    ::close(fd);
    throw;
  }
  ::close(fd);
}

// Makes the folder; returns the folders that had to be made, innermost first.
std::vector<fs::path> MakeFolders(const std::string& folder) {
  std::vector<fs::path> made;
  std::error_code error;
  for (fs::path at = folder; !at.empty() && !fs::exists(at, error) && !error; at = at.parent_path()) made.push_back(at);
  MakeFolder(folder);
  return made;
}

}  // namespace

void WriteFileAtomically(const std::string& path, const std::string& bytes) {
  WriteFileAtomically(
      path, [&bytes](std::ostream& out) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
}

namespace {

// Linux's rule of protected_symlinks, which does not see a link that a program reads itself.
void RefuseAnothersLink(const std::string& path) {
  struct stat link{}, folder{};
  if (::lstat(path.c_str(), &link) != 0 || !S_ISLNK(link.st_mode)) return;
  const std::string parent = fs::path(path).parent_path().string();
  if (::stat(parent.empty() ? "." : parent.c_str(), &folder) != 0) return;
  const bool shared = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
  if (shared && link.st_uid != ::geteuid() && link.st_uid != folder.st_uid)
    RefuseOutput(path, "it is another user's link in a folder that everybody may write to; another name is right");
}

}  // namespace

void WriteFileAtomically(const std::string& path, const StreamWriter& write) {
  RefuseAnothersLink(path);
  struct stat info{};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) RefuseKindOfFile(path, "a folder");
  if (exists && S_ISBLK(info.st_mode)) RefuseKindOfFile(path, "a whole disk");
  if (exists && IsOwnOutput(info)) RefuseKindOfFile(path, "this command's own output, where its report goes");
  if (exists && !S_ISREG(info.st_mode)) return WriteInto(path, write);
  OutputGuard::Own().Check(path);
  StagedFile(ResolvedPath(path), write).Commit();
}

void MakeFolder(const std::string& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error)) {
    throw Error(ExitCode::kCannotCreate, fmt::format("{} is a file; a folder is right", folder));
  }
  fs::create_directories(folder, error);
  if (error)
    throw Error(ExitCode::kCannotCreate, fmt::format("the folder {} cannot be made: {}", folder, error.message()));
}

void WriteFilesAtomically(const std::string& folder, const std::vector<std::pair<std::string, std::string>>& files) {
  for (const auto& [name, bytes] : files) {
    const std::string path = (fs::path(folder) / name).string();
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) RefuseKindOfFile(path, "a folder");
    OutputGuard::Own().Check(path);
  }
  const std::vector<fs::path> made = MakeFolders(folder);
  try {
    std::vector<StagedFile> staged;
    staged.reserve(files.size());
    for (const auto& [name, bytes] : files) staged.emplace_back((fs::path(folder) / name).string(), bytes);
    for (StagedFile& file : staged) file.Commit();
  } catch (const Error&) {
    // Removes empty folders only, and so none that another program has written into meanwhile.
    std::error_code ignored;
    for (const fs::path& path : made) fs::remove(path, ignored);
    throw;
  }
}

}  // namespace hone

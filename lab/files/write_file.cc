#include "lab/files/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "core/error.h"
#include "lab/files/output_guard.h"
#include "lab/files/resolved_path.h"
#include "lab/files/staged_file.h"

namespace hone {
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

void WriteFileAtomically(const std::string& path, const StreamWriter& write) {
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

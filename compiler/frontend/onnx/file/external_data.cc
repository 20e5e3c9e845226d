#include "compiler/frontend/onnx/file/external_data.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/error.h"

namespace hone {

ExternalData::ExternalData(const std::string& model_path) {
  folder_path_ = std::filesystem::path(model_path).parent_path().string();
  if (folder_path_.empty()) folder_path_ = ".";
  folder_ = open(folder_path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) {
    throw Error(errno == EACCES ? ExitCode::kNotAuthorised : ExitCode::kNoInput,
                fmt::format("cannot open the folder \"{}\": {}", folder_path_, std::strerror(errno)));
  }
}

std::vector<std::string> ExternalData::opened() const {
  std::vector<std::string> paths;
  for (const std::string& location : locations_) paths.push_back(folder_path_ + "/" + location);
  return paths;
}

ExternalData::~ExternalData() { close(folder_); }

namespace {

[[noreturn]] void RefuseExternalData(const std::string& location, const std::string& why) {
  throw Error(ExitCode::kBadData, fmt::format("external data \"{}\": {}", location, why));
}

void CheckFile(int fd, const std::string& location, int64_t offset, int64_t size) {
  struct stat info{};
  if (fstat(fd, &info) != 0) RefuseExternalData(location, std::strerror(errno));
  if (!S_ISREG(info.st_mode)) RefuseExternalData(location, "not a regular file");
  if (info.st_nlink != 1)
    RefuseExternalData(location, fmt::format("the file has {} names, it must have one", info.st_nlink));
  // A subtraction cannot overflow here; an addition could.
  if (offset < 0 || size < 0 || offset > info.st_size || size > info.st_size - offset) {
    RefuseExternalData(location,
                       fmt::format("{} bytes from offset {} are wanted, the file has {}", size, offset, info.st_size));
  }
}

}  // namespace

int ExternalData::Open(const std::string& location, int64_t offset, int64_t size) const {
  // what() ends at a zero byte, so the message shows the text before it.
  if (location.empty() || location.find('\0') != std::string::npos)
    RefuseExternalData(location.c_str(), "not a file name");
  open_how how{};
  // With O_NONBLOCK, opening a FIFO does not wait for a writer.
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const int fd = static_cast<int>(syscall(SYS_openat2, folder_, location.c_str(), &how, sizeof(how)));
  if (fd < 0) {
    if (errno == EXDEV || errno == ELOOP)
      RefuseExternalData(location, "it must lie in the model's folder and pass no link");
    if (errno == EACCES)
      throw Error(ExitCode::kNotAuthorised, fmt::format("external data \"{}\" may not be read", location));
    if (errno == ENOENT) RefuseExternalData(location, "there is no such file; it lies beside the model, so fetch both");
    RefuseExternalData(location, std::strerror(errno));
  }
  try {
    CheckFile(fd, location, offset, size);
  } catch (...) {
    close(fd);
    throw;
  }
  locations_.insert(location);
  return fd;
}

void ExternalData::Check(const std::string& location, int64_t offset, int64_t size) const {
  close(Open(location, offset, size));
}

void ExternalData::Read(const std::string& location, int64_t offset, int64_t size, void* into) const {
  const int fd = Open(location, offset, size);
  char* at = static_cast<char*>(into);
  while (size > 0) {
    const ssize_t got = pread(fd, at, static_cast<size_t>(size), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      close(fd);
      RefuseExternalData(location, "the file became shorter while it was read");
    }
    at += got;
    offset += got;
    size -= got;
  }
  close(fd);
}

}  // namespace hone

#include "cli/files/temporary_package.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "cli/files/staged_file.h"

namespace hone {

TemporaryPackage::TemporaryPackage(const std::string& bytes)
    : path_((std::filesystem::temp_directory_path() / "hone-package-XXXXXX").string()) {
  const int fd = mkstemp(path_.data());
  if (fd < 0) CannotWrite(path_, true);
  const bool written = WriteAll(fd, bytes);
  close(fd);
  if (!written) {
    unlink(path_.c_str());
    CannotWrite(path_, true);
  }
  try {
    package_ = Package::Inspect(path_);
  } catch (...) {
    unlink(path_.c_str());
    throw;
  }
}

TemporaryPackage::~TemporaryPackage() { unlink(path_.c_str()); }

}  // namespace hone

#include "lab/files/temporary_package.h"

#include <filesystem>

#include "lab/files/staged_file.h"

namespace hone {

TemporaryPackage::TemporaryPackage(const std::string& bytes)
    : file_((std::filesystem::temp_directory_path() / "hone-package").string(), 0600) {
  if (!WriteAll(file_.fd(), bytes)) CannotWrite(file_.path(), true);
  package_ = Package::Inspect(file_.path());
}

}  // namespace hone

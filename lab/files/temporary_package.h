// A package in a temporary file.
#pragma once

#include <memory>
#include <string>

#include "lab/files/fresh_file.h"
#include "runtime/package.h"

namespace hone {

// Writes the bytes to a file in the system's temporary folder and opens it, for any target (Package::Inspect). The
// destructor removes the file. Throws Error: kCannotCreate, kIo.
class TemporaryPackage {
 public:
  explicit TemporaryPackage(const std::string& bytes);
  const Package* operator->() const { return package_.get(); }
  const std::string& path() const { return file_.path(); }

 private:
  FreshFile file_;
  std::shared_ptr<const Package> package_;
};

}  // namespace hone

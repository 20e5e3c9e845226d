// A file that is written, but not yet seen under its name.
#pragma once

#include <string>
#include <string_view>

#include "cli/files/fresh_file.h"
#include "cli/files/piped_output.h"

namespace hone {

// Lies on the disk beside `path` as a FreshFile; gone with the object unless it was committed.
class StagedFile {
 public:
  // Throws Error: kCannotCreate when there can be no file, kIo when it cannot be written to its end.
  StagedFile(const std::string& path, const std::string& bytes);
  // Holds what `write` writes, piece by piece. Also throws what that throws.
  StagedFile(const std::string& path, const StreamWriter& write);

  // Replaces what has the name. Throws Error(kCannotCreate).
  void Commit();

 private:
  std::string path_;
  FreshFile file_;
};

// Throws Error(code): `path` cannot be written, for errno's reason.
[[noreturn]] void CannotWrite(const std::string& path, bool created);
// False with errno when not all of it could be written.
bool WriteAll(int fd, std::string_view bytes);

}  // namespace hone

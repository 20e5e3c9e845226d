// A file that is written completely before it gets its name.
#pragma once

#include <string>
#include <string_view>

#include "lab/files/fresh_file.h"
#include "lab/files/piped_output.h"

namespace hone {

// Lies on the disk beside `path` as a FreshFile. The destructor removes it unless it was committed.
class StagedFile {
 public:
  // Throws Error: kCannotCreate if the file cannot be made; kIo if it cannot be written completely.
  StagedFile(const std::string& path, const std::string& bytes);
  // Holds the output of `write`, written piece by piece. Also throws what `write` throws.
  StagedFile(const std::string& path, const StreamWriter& write);

  // Gives the file its name, replacing another one. Throws Error(kCannotCreate).
  void Commit();

 private:
  std::string path_;
  FreshFile file_;
};

// Throws an Error saying that `path` cannot be written, with errno's reason.
[[noreturn]] void CannotWrite(const std::string& path, bool created);
// Returns false and sets errno if not everything could be written.
bool WriteAll(int fd, std::string_view bytes);

}  // namespace hone

#include "core/files/temporary_folder.h"

#include <cstdlib>

namespace hone {

std::filesystem::path TemporaryFolder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

}  // namespace hone

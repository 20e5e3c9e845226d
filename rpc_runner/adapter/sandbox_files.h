// The files that a sandbox shows: the system's programs and libraries and what was asked for, all read-only.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hone {

class SandboxFiles {
 public:
  // Looks up the system's folders and `reads`, absolute paths. Missing folders of the system are left out. Throws
  // Error(kBadConfig) for others that are missing.
  explicit SandboxFiles(const std::vector<std::string>& reads);

  // Makes them the only files of this process's mount namespace, besides /proc, a few devices and an empty /tmp of at
  // most tmp_bytes. Needs Linux 5.12, a mount namespace and a PID namespace of its own, and the right to mount. Throws
  // Error(kBadConfig) naming what the system refuses.
  void Enter(int64_t tmp_bytes);

 private:
  std::vector<std::string> shown_;                            // none lies within another
  std::vector<std::pair<std::string, std::string>> aliases_;  // symbolic links and what they name
};

}  // namespace hone

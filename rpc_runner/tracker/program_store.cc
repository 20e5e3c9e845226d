#include "rpc_runner/tracker/program_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/hash/hash.h"
#include "rpc_runner/tracker/bounded_fields.h"

namespace hone {

std::string ProgramStore::Put(const std::vector<std::string>& parts) {
  if (parts.size() != 2) throw Error(ExitCode::kBadData, "bad frame: an upgrade has two parts, a file and a signature");
  if (parts[0].size() > kMostFileBytes || parts[1].size() > kMostSignatureBytes) {
    throw LimitExceeded{fmt::format("a program of {} bytes with a signature of {}: at most {} and {} are taken",
                                    parts[0].size(), parts[1].size(), kMostFileBytes, kMostSignatureBytes)};
  }
  std::string sha256 = Sha256Hex(parts[0]);
  // The file may come again with another signature.
  std::erase_if(programs_, [&](const Program& program) { return program.sha256 == sha256; });
  if (programs_.size() == kMostPrograms) programs_.pop_front();
  programs_.push_back({sha256, parts});
  return sha256;
}

const std::vector<std::string>* ProgramStore::Find(const std::string& sha256) const {
  const auto it =
      std::find_if(programs_.begin(), programs_.end(), [&](const Program& p) { return p.sha256 == sha256; });
  return it == programs_.end() ? nullptr : &it->parts;
}

}  // namespace hone

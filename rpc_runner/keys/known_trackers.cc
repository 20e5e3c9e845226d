#include "rpc_runner/keys/known_trackers.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/keys/key_file.h"
#include "rpc_runner/wire/address.h"

namespace hone {
namespace {

std::string ReadFile(const std::string& path) {
  if (!KeyFileIsThere(path)) return "";
  return ReadKeyFile(path, Secrecy::kProtected, "the list of known trackers");
}

bool IsOf(std::string_view line, const std::string& address) { return line.substr(0, line.find(' ')) == address; }

}  // namespace

std::string FindKnownTracker(const std::string& path, const std::string& address) {
  const std::string name = ParseAddress(address).ToText();
  const std::string text = ReadFile(path);
  for (const std::string_view line : Split(text, '\n')) {
    if (!IsOf(line, name)) continue;
    const std::string key(line.substr(std::min(line.size(), name.size() + 1)));
    if (IsKey(key)) return key;
    throw Error(ExitCode::kBadConfig, fmt::format("{} has a damaged line for {}; ADDRESS KEY is right", path, name));
  }
  return "";
}

void AddKnownTracker(const std::string& path, const std::string& address, const std::string& key) {
  const std::string name = ParseAddress(address).ToText();
  MakeKeyFolder(std::filesystem::path(path).parent_path().string());
  const KeyFileLock lock(path + ".lock");
  const std::string before = ReadFile(path);
  std::string text;
  for (const std::string_view line : Split(before, '\n')) {
    if (!line.empty() && !IsOf(line, name)) text += fmt::format("{}\n", line);
  }
  WriteKeyFile(path, text + fmt::format("{} {}\n", name, key), Secrecy::kProtected);
}

}  // namespace hone

#include "rpc_runner/health/history_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "core/error.h"
#include "core/hash/hash.h"
#include "core/json/json_fields.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

constexpr const char* kFormat = "hone-health";
constexpr size_t kMostHistoryBytes = size_t{4} << 20;

GoldenHistory Parse(const std::string& text, const std::string& device, size_t parts) {
  const Json json = ParseJson(text, "the file");
  if (TextField(json, "format") != kFormat) throw Error(ExitCode::kBadData, "it is no health history");
  if (const int64_t version = IntegerField(json, "version"); version != kHealthVersion) {
    throw Error(ExitCode::kBadData, fmt::format("it is of version {}, not {}", version, kHealthVersion));
  }
  if (TextField(json, "device") != device) throw Error(ExitCode::kBadData, "it is of another device");
  GoldenHistory history = GoldenHistory::FromJson(Field(json, "history"));
  if (history.parts() != parts) throw Error(ExitCode::kBadData, "its golden kernel has other parts");
  return history;
}

std::string CannotWriteHistory(const std::string& path) {
  return fmt::format("cannot write {}: {}; a restart will forget how fast this device is", path, std::strerror(errno));
}

}  // namespace

std::string StateFolder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::string(state) + "/hone";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? std::string(home) + "/.local/state/hone" : "";
}

std::string HistoryPath(const std::string& folder, const std::string& device) {
  return fmt::format("{}/health-{}.json", folder, Sha256Hex(device).substr(0, 16));
}

GoldenHistory LoadHistory(const std::string& path, const std::string& device, size_t parts, std::string* problem) {
  const std::optional<std::string> text = ReadSmallFile(path, kMostHistoryBytes);
  if (!text) return GoldenHistory(parts);
  try {
    return Parse(*text, device, parts);
  } catch (const Error& error) {
    *problem = fmt::format("{} is not read, the device is learnt anew: {}", path, error.what());
    return GoldenHistory(parts);
  }
}

std::string SaveHistory(const std::string& path, const std::string& device, const GoldenHistory& history) {
  const Json json = {
      {"format", kFormat}, {"version", kHealthVersion}, {"device", device}, {"history", history.ToJson()}};
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  return ReplaceSmallFile(path, DumpJson(json) + "\n") ? "" : CannotWriteHistory(path);
}

}  // namespace hone

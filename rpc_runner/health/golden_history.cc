#include "rpc_runner/health/golden_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
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

constexpr size_t kMostParts = 64;
constexpr double kNormal = 1.4826;  // standard deviation over median absolute deviation, for a normal distribution

double Median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

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

void GoldenHistory::Add(const std::vector<int64_t>& times, int64_t at_ns) {
  if (enough() && last_ns_ && at_ns - *last_ns_ < kSpacingNs) return;
  last_ns_ = at_ns;
  runs_.push_back(times);
  if (runs_.size() > kMost) runs_.pop_front();
  Summarise();
}

// The least time of each window of kBlock successive runs; the windows overlap.
std::vector<double> GoldenHistory::BlocksOf(size_t part) const {
  std::vector<double> blocks;
  for (size_t first = 0; first + kBlock <= runs_.size(); ++first) {
    int64_t least = runs_[first][part];
    for (size_t i = 1; i < kBlock; ++i) least = std::min(least, runs_[first + i][part]);
    blocks.push_back(static_cast<double>(least));
  }
  return blocks;
}

void GoldenHistory::Summarise() {
  usual_.assign(parts_, 0);
  limit_.assign(parts_, kLeastLimit);
  if (runs_.size() < kBlock) return;
  for (size_t part = 0; part < parts_; ++part) {
    std::vector<double> times = BlocksOf(part);
    const double usual = usual_[part] = Median(times);
    for (double& time : times) time = std::abs(time - usual);
    limit_[part] = std::max(kLeastLimit, 1 + kDeviations * kNormal * Median(times) / usual);
  }
}

int64_t GoldenHistory::UsualNs() const {
  double sum = 0;
  for (double usual : usual_) sum += usual;
  return std::llround(sum);
}

Json GoldenHistory::ToJson() const {
  Json json = {{"parts", parts_}, {"runs", Json::array()}};
  for (const auto& run : runs_) json["runs"].push_back(run);
  return json;
}

GoldenHistory GoldenHistory::FromJson(const Json& json) {
  const auto parts = static_cast<size_t>(IntegerField(json, "parts", 1, kMostParts));
  GoldenHistory history(parts);
  const Json& runs = ArrayField(json, "runs");
  if (runs.size() > kMost) throw Error(ExitCode::kBadData, fmt::format("field 'runs' has more than {}", kMost));
  for (const Json& run : runs) {
    std::vector<int64_t> times = IntegersField({{"run", run}}, "run", 1);
    if (times.size() != parts)
      throw Error(ExitCode::kBadData, fmt::format("a run has {} times, not {}", times.size(), parts));
    history.runs_.push_back(std::move(times));
  }
  history.Summarise();
  return history;
}

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

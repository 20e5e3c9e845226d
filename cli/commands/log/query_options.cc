#include "cli/commands/log/query_options.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

#include "cli/record_options.h"
#include "core/error.h"
#include "core/text/duration.h"
#include "core/text/parse_number.h"

namespace hone {

void AddQueryOptions(CommandLine& line, QueryOptions& options) {
  AddStoreOption(line, options.db);
  const auto add = [&line](const std::string& name, auto& value, const std::string& description) {
    return line.Add(name, value, description).About(Topic::kQuery);
  };
  add("--workload", options.query.workload, "a workload's whole text");
  add("--target", options.query.cpu, "CPU of the target, as znver3");
  add("--device", options.query.device, "part of the CPU model, host, key, label or id");
  add("--fate", options.fate, "outcome: Ok, WrongOutput, Crashed, TimedOut, ...");
  add("--cache", options.cache, "cold-weights or warm");
  add("--since", options.since, "only what was measured since 2026-11-22, or within 90d, 12h");
  add("--threads", options.threads, "number of threads").Between(1, 1024);
}

RecordQuery QueryOf(const QueryOptions& options) {
  RecordQuery query = options.query;
  if (!options.fate.empty()) query.fate = ParseFate(options.fate);
  if (!options.cache.empty()) query.cache = ParseCacheMode(options.cache);
  if (!options.since.empty()) query.since_unix_ms = ParseSince(options.since, NowMs());
  if (options.threads > 0) query.threads = options.threads;
  return query;
}

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

int64_t ParseSince(const std::string& text, int64_t now_ms) {
  constexpr int64_t kDayMs = 86'400'000;
  constexpr int64_t kMostDays = 36'500;
  std::tm day{};
  const char* end = strptime(text.c_str(), "%Y-%m-%d", &day);
  if (end != nullptr && *end == '\0') return static_cast<int64_t>(timegm(&day)) * 1000;
  if (text.ends_with('d')) {
    const auto days = ParseInteger(std::string_view(text).substr(0, text.size() - 1));
    if (days && *days > 0 && *days <= kMostDays) return now_ms - *days * kDayMs;
  } else if (text.find('-') == std::string::npos) {
    return now_ms - ParseDuration(text) / 1'000'000;
  }
  throw Error(ExitCode::kUsage, fmt::format("'{}' is no day, as 2026-11-22, and no time, as 90d or 12h", text));
}

}  // namespace hone

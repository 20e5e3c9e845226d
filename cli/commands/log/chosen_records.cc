#include "cli/commands/log/chosen_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <ctime>
#include <optional>

#include "cli/record_options.h"
#include "compiler/build.h"
#include "core/error.h"
#include "core/text/parse_number.h"
#include "db/open_database.h"
#include "db/packs/pack.h"
#include "db/trial_row.h"
#include "lab/files/read_file.h"
#include "lab/machine/machine.h"
#include "lab/model/model.h"
#include "lab/records/best_records.h"
#include "lab/records/records.h"

namespace hone {

namespace {

Fate FateOption(const std::string& name) {
  try {
    return ParseFate(name);
  } catch (const Error& error) {
    throw Error(ExitCode::kUsage, fmt::format("--fate: {}", error.what()));
  }
}

}  // namespace

void AddQueryOptions(CommandLine& line, QueryOptions& options) {
  AddStoreOption(line, options.db);
  const auto add = [&line](const std::string& name, auto& value, const std::string& description) {
    return line.Add(name, value, description).About(Topic::kQuery);
  };
  add("--workload", options.query.workload, "a workload's whole text").Parsed([](const std::string& text) {
    if (text.find(' ') != std::string::npos) return;
    throw Error(ExitCode::kUsage,
                fmt::format("'{}' is no workload, as in \"nn.dense data=1x64 weight=10x64 dtype=float32 "
                            "epilogue=bias_act\"; `hone log list` shows those of the store",
                            text));
  });
  add("--target", options.query.cpu, "CPU of the target, as znver3");
  add("--device", options.query.device, "part of the CPU model, host, device key, label or id");
  add("--fate", options.fate, "outcome: Ok, WrongOutput, Crashed, TimedOut, ...");
  add("--cache", options.cache, "cold-weights or warm");
  add("--since", options.since, "only what was measured since 2026-11-22, or within 90d, 12h");
  add("--threads", options.threads, "number of threads").Between(1, 1024);
}

RecordQuery QueryOf(const QueryOptions& options) {
  RecordQuery query = options.query;
  if (!options.fate.empty()) query.fate = FateOption(options.fate);
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
  } else if (text.ends_with('s') || text.ends_with('m') || text.ends_with('h')) {
    if (std::isdigit(static_cast<unsigned char>(text[0]))) return now_ms - ParseDuration(text) / 1'000'000;
  }
  throw Error(ExitCode::kUsage, fmt::format("'{}' is no day, as 2026-11-22, and no time, as 90d or 12h", text));
}

namespace {

// The workloads of the models' tasks, as this machine would tune them.
std::vector<std::string> TasksOf(const std::vector<std::string>& models, std::optional<int> threads) {
  MachineOptions machine;
  machine.threads = threads.value_or(0);
  const BuildContext context = ResolveMachine(machine).context;
  std::vector<std::string> workloads;
  for (const std::string& name : models) {
    ModelOptions options;
    options.model = name;
    for (const Task& task : ExtractTasks(LoadModel(options).typed, context))
      workloads.push_back(task.workload.ToText());
  }
  return workloads;
}

}  // namespace

RecordQuery OfModels(RecordQuery query, const std::vector<std::string>& models) {
  if (!models.empty()) query.workloads = TasksOf(models, query.threads);
  return query;
}

std::vector<std::string> ChooseIds(const RecordStore& store, const RecordQuery& of,
                                   const std::vector<std::string>& models, bool best) {
  RecordQuery query = OfModels(of, models);
  std::vector<std::string> all;
  for (const std::string& workload : WorkloadsOf(store, query)) {
    query.workload = workload;
    std::vector<std::string> ids;
    if (best) {
      ids = BestIds(store, query);
    } else {
      store.EachTrial(query, [&ids](const TrialRow& row) { ids.push_back(row.id); });
    }
    std::sort(ids.begin(), ids.end());
    all.insert(all.end(), ids.begin(), ids.end());
  }
  return all;
}

std::vector<Record> ChooseRecords(const RecordStore& store, const RecordQuery& of,
                                  const std::vector<std::string>& models, bool best) {
  RecordQuery query = OfModels(of, models);
  if (best) query.fate.reset();  // failed records speak against others
  const std::vector<Record> records = store.Find(query);
  return best ? BestOf(records) : records;
}

namespace {

bool IsPack(const std::string& path) {
  if (IsServerStore(path) || !IsThere(path)) return false;
  // Opening an InputFile refuses a pipe; IsPackFile would wait for its writer.
  const InputFile file(path);
  return IsPackFile(path);
}

}  // namespace

std::vector<Record> RecordsIn(const std::string& path) {
  if (IsPack(path)) return ReadPack(ReadFile(path)).records;
  return OpenExistingStore(path)->Find({});
}

}  // namespace hone

#include "rpc_runner/adapter/adapter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/json/json_fields.h"
#include "core/stats/statistics.h"
#include "core/text/printable.h"
#include "core/text/spelling.h"
#include "runtime/threads/allowed_cores.h"

namespace hone {
namespace {

constexpr int64_t kLongNs = 100'000'000, kTurnSlackNs = 2'000'000, kClockSlackNs = 100'000;
constexpr int kLongRequests = 3, kMostRequests = 20;
constexpr double kLeastFilled = 0.8, kMostOver = 1.01;
// Bytes of an answer without its tensors, and bytes that a run's time takes in it.
constexpr size_t kFrameBytes = 1 << 16, kTimeBytes = 24;
const std::set<std::string> kPrecisions = {"float32", "bfloat16", "float16"};

std::string MillisecondsText(int64_t ns) { return fmt::format("{:.4g} ms", static_cast<double>(ns) / 1e6); }

std::map<std::string, std::vector<std::string>> SettingsOf(const Json& hello) {
  std::map<std::string, std::vector<std::string>> settings;
  const auto found = hello.find("settings");
  if (found == hello.end()) return settings;
  if (!found->is_object()) throw Error(ExitCode::kBadData, "field 'settings' is no object");
  for (const auto& item : found->items()) settings[item.key()] = TextsField(*found, item.key().c_str());
  return settings;
}

template <typename T>
std::vector<std::string> KeysOf(const std::map<std::string, T>& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

}  // namespace

std::vector<int> CpusForThreads(int threads) {
  std::vector<int> cpus = CpusToPin();
  if (cpus.size() <= static_cast<size_t>(threads)) return {};
  cpus.resize(static_cast<size_t>(threads));
  return cpus;
}

Adapter::Adapter(const AdapterCommand& command, int64_t answer_ns, const std::vector<int>& cpus,
                 const std::atomic<bool>* stop)
    : program_(command.words, command.name, answer_ns, cpus, stop), chosen_(command.settings) {
  const Json hello = program_.Ask({{"hello", kAdapterProtocol}}, "hello").json;
  if (hello.contains("error")) {
    const std::string install = hello.value("install", Json("")).is_string() ? hello.value("install", "") : "";
    program_.Fail(ExitCode::kNoRunner,
                  fmt::format("cannot run: {}{}", TextField(hello, "error"),
                              install.empty() ? ""
                                              : fmt::format("; `{}` installs it, or name another Python by "
                                                            "--python",
                                                            install)));
  }
  try {
    if (const int protocol = IntField(hello, "hello"); protocol != kAdapterProtocol) {
      program_.Fail(ExitCode::kNoRunner,
                    fmt::format("speaks version {} of the protocol of adapters, not {}", protocol, kAdapterProtocol));
    }
    name_ = TextField(hello, "name");
    version_ = TextField(hello, "version");
    settings_ = SettingsOf(hello);
  } catch (const Error& e) {
    if (e.code() != ExitCode::kBadData) throw;
    program_.Fail(ExitCode::kBadData, fmt::format("answers hello wrongly: {}", e.what()));
  }
  title_ = name_ + " " + version_;
  std::string shown;
  for (const auto& [setting, value] : chosen_) {
    const auto known = settings_.find(setting);
    if (known == settings_.end()) {
      throw Error(
          ExitCode::kUsage,
          fmt::format("{} has no setting {}{}; it has {}", title_, setting, DidYouMean(setting, KeysOf(settings_)),
                      settings_.empty() ? "none" : fmt::format("{}", fmt::join(KeysOf(settings_), ", "))));
    }
    if (std::find(known->second.begin(), known->second.end(), value) == known->second.end()) {
      throw Error(ExitCode::kUsage, fmt::format("{}: {} is given {}; right are {}", title_, setting, value,
                                                fmt::join(known->second, ", ")));
    }
    shown += (shown.empty() ? "" : ", ") + setting + "=" + value;
  }
  if (!shown.empty()) title_ += " (" + shown + ")";
  program_.Rename(title_);
}

Json Adapter::Ask(const Json& request, const std::string& what, size_t most_bytes) {
  AdapterProgram::Answer answer = program_.Ask(request, what, most_bytes);
  outside_ns_ = answer.outside_ns;
  waited_ns_ = answer.waited_ns;
  if (answer.json.contains("error")) {
    const Json& error = answer.json["error"];
    throw Error(ExitCode::kBadData, fmt::format("{} fails at {}: {}", title_, what,
                                                error.is_string() ? error.get<std::string>() : DumpJson(error)));
  }
  return std::move(answer.json);
}

void Adapter::Use(const std::string& model, int threads, Json inputs) {
  load_ = {{"load", model}, {"threads", threads}, {"inputs", std::move(inputs)}, {"settings", chosen_}};
}

void Adapter::LoadAnew() {
  const Json answer = Ask(load_, "loading " + TextField(load_, "load"));
  const std::string precision = answer.value("precision", Json()).is_string() ? answer.value("precision", "") : "";
  if (!kPrecisions.contains(precision)) {
    program_.Fail(ExitCode::kBadData,
                  fmt::format("tells no precision of the loaded model; right are {}", fmt::join(kPrecisions, ", ")));
  }
  precision_ = precision;
  told_ns_.clear();
  missing_ns_.clear();
}

std::vector<int64_t> Adapter::Run(int64_t runs) {
  const std::string what = Counted(runs, "run");
  const Json answer = Ask({{"run", runs}}, what, kFrameBytes + kTimeBytes * static_cast<size_t>(runs));
  std::vector<int64_t> times_ns;
  try {
    times_ns = IntegersField(answer, "ns", 1);
  } catch (const Error& e) {
    program_.Fail(ExitCode::kBadData, fmt::format("answers {} wrongly: {}", what, e.what()));
  }
  if (times_ns.size() != static_cast<size_t>(runs)) {
    program_.Fail(ExitCode::kBadData, fmt::format("answers {} by {}", what, Counted(times_ns.size(), "time")));
  }
  int64_t told_ns = 0;
  const auto outside = static_cast<double>(outside_ns_ + kClockSlackNs);
  for (const int64_t ns : times_ns) {
    told_ns = ns > outside_ns_ * 2 + kClockSlackNs ? ns : told_ns + ns;
    if (static_cast<double>(told_ns) > kMostOver * outside) {
      Lies(fmt::format("tells at least {} for {}, which took {} from outside", MillisecondsText(told_ns), what,
                       MillisecondsText(outside_ns_)));
    }
  }
  told_ns_.push_back(told_ns);
  missing_ns_.push_back(std::max<int64_t>(0, outside_ns_ - waited_ns_ - told_ns));
  return times_ns;
}

Json Adapter::Outputs(int64_t most_bytes) {
  const size_t most = kFrameBytes + static_cast<size_t>(most_bytes) * 3 / 2;
  Json answer = Ask({{"outputs", true}}, "its outputs", most);
  try {
    return ArrayField(answer, "outputs");
  } catch (const Error& e) {
    Fail(ExitCode::kBadData, fmt::format("gives its outputs wrongly: {}", e.what()));
  }
}

int64_t Adapter::MemoryBytes() {
  const Json answer = Ask({{"memory", true}}, "its memory");
  try {
    return IntegerField(answer, "bytes", 0);
  } catch (const Error& e) {
    program_.Fail(ExitCode::kBadData, fmt::format("tells its memory wrongly: {}", e.what()));
  }
}

bool Adapter::RefusesNonsense() {
  return program_.Ask({{"no such request", true}}, "a request that does not exist").json.contains("error");
}

bool Adapter::Bye() {
  program_.Ask({{"bye", true}}, "bye");
  return program_.End(kAdapterLeaveNs);
}

void Adapter::Fail(ExitCode code, const std::string& what) { program_.Fail(code, what); }

void Adapter::Lies(const std::string& how) {
  program_.Fail(ExitCode::kAnswerIsNo, how + ": its times are not believed");
}

void Adapter::RequireFilledTimes() {
  Run(1);
  int64_t run_ns = std::max<int64_t>(outside_ns_, 1);
  for (int long_ones = 0, all = 0; long_ones < kLongRequests && all < kMostRequests; ++all) {
    const int64_t runs = std::clamp<int64_t>(kLongNs / run_ns + 1, 1, kMostRunsOfRequest);
    Run(runs);
    if (static_cast<double>(told_ns_.back()) >= kLeastFilled * static_cast<double>(outside_ns_ - waited_ns_)) return;
    run_ns = std::max<int64_t>(outside_ns_ / runs, 1);
    // A request of quick runs is short, so that its way and back are much of it.
    long_ones += outside_ns_ >= kLongNs / 2 || runs == kMostRunsOfRequest ? 1 : 0;
  }
  Lies(fmt::format("tells {} for runs that took {} from outside", MillisecondsText(told_ns_.back()),
                   MillisecondsText(outside_ns_)));
}

void Adapter::RequireFilledTurns() {
  const int64_t told_ns = StatisticsOf(told_ns_).median_ns, missing_ns = StatisticsOf(missing_ns_).median_ns;
  if (missing_ns <= kTurnSlackNs + told_ns / 2) return;
  Lies(fmt::format("tells {} in the median turn, and {} more passed outside", MillisecondsText(told_ns),
                   MillisecondsText(missing_ns)));
}

}  // namespace hone

#include "lab/history/bench_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/json/serialize.h"
#include "core/machine/fingerprint.h"
#include "core/stats/change_points.h"
#include "lab/comparison/bench_results.h"
#include "lab/machine/device_name.h"

namespace hone {
namespace {

constexpr double kMostChangePointP = 0.01;
constexpr double kSmallestEffect = 0.02;

// Parses "2026-11-22T10:00:00+00:00", with the zone in hone's form or another. nullopt for anything but a date.
std::optional<int64_t> UnixMs(const std::string& date) {
  std::tm time{};
  const char* end = strptime(date.c_str(), "%Y-%m-%dT%H:%M:%S", &time);
  if (end == nullptr) return std::nullopt;
  int64_t offset_s = 0;
  int hours = 0, minutes = 0;
  char sign = 0;
  if (std::sscanf(end, "%c%2d:%2d", &sign, &hours, &minutes) == 3 && (sign == '+' || sign == '-')) {
    offset_s = (sign == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
  } else if (std::string_view(end) != "Z" && *end != '\0') {
    return std::nullopt;
  }
  return (static_cast<int64_t>(timegm(&time)) - offset_s) * 1000;
}

std::string TextAt(const Json& json, const std::string& pointer) {
  const Json::json_pointer at(pointer);
  return json.contains(at) && json.at(at).is_string() ? json.at(at).get<std::string>() : "";
}

// Facts that must agree for two times to be in one series.
std::string KeyOf(const PackageTimes& timed, const std::string& conditions) {
  const std::string machine = FingerprintOf(timed.machine).ToText();
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", timed.model, machine,
                     machine.empty() ? timed.machine.host : "", timed.machine.emulated, timed.threads, timed.precision,
                     timed.images, timed.cache, conditions);
}

HistorySeries SeriesOf(const PackageTimes& timed, const std::string& conditions) {
  const std::string id = FingerprintOf(timed.machine).ShortId();
  const std::string machine = id.empty() ? timed.machine.cpu_model : timed.machine.cpu_model + " #" + id;
  HistorySeries series;
  series.model = timed.model;
  series.device = DeviceName(machine, {RunnerName(timed.machine)});
  series.threads = timed.threads;
  series.precision = timed.precision;
  series.conditions = conditions;
  return series;
}

class HistoryOfResults {
 public:
  void Add(const DatedResult& result) {
    const Json json = ParseJson(result.json, result.file);
    const std::vector<PackageTimes> packages = ReadBenchResult(result.json, result.file);
    const std::string date = TextAt(json, "/context/date");
    const std::optional<int64_t> unix_ms = UnixMs(date);
    if (!unix_ms) {
      throw Error(
          ExitCode::kBadData,
          fmt::format("{} has \"{}\" as its date; right is one as 2026-11-22T10:00:00+00:00", result.file, date));
    }
    std::set<std::string> seen;
    for (size_t i = 0; i < packages.size(); ++i) {
      const std::string place = fmt::format("/packages/{}", i);
      HistoryPoint point{*unix_ms,
                         packages[i].time,
                         result.file,
                         {packages[i].hone_version, TextAt(json, place + "/package_sha256"),
                          packages[i].machine.microcode, packages[i].machine.kernel},
                         packages[i].why_noisy};
      Place(packages[i], Conditions(json, packages[i]), TextAt(json, place + "/name"), seen)
          .points.push_back(std::move(point));
    }
  }

  std::vector<HistorySeries> Take() { return std::move(series_); }

 private:
  static std::string Conditions(const Json& json, const PackageTimes& timed) {
    const Json::json_pointer there("/conditions/there"), fill("/conditions/fill");
    const bool remote = json.contains(there) && json.at(there) == true;
    return fmt::format("{}{}, inputs {}", timed.cache, remote ? ", on a runner" : "", TextAt(json, fill.to_string()));
  }

  // `seen` holds the keys of this result. A second package with the same key is distinguished from the first by its
  // name.
  HistorySeries& Place(const PackageTimes& timed, const std::string& conditions, const std::string& name,
                       std::set<std::string>& seen) {
    std::string key = KeyOf(timed, conditions);
    const bool again = !seen.insert(key).second;
    if (again) key += "\n" + name;
    const auto [it, is_new] = index_.try_emplace(key, series_.size());
    if (is_new) {
      series_.push_back(SeriesOf(timed, conditions));
      if (again) series_.back().model += " (" + name + ")";
    }
    return series_[it->second];
  }

  std::vector<HistorySeries> series_;
  std::map<std::string, size_t> index_;
};

void Judge(HistorySeries& series, int64_t since_ms, bool accept_noisy) {
  std::stable_sort(series.points.begin(), series.points.end(),
                   [](const HistoryPoint& a, const HistoryPoint& b) { return a.unix_ms < b.unix_ms; });
  const auto is_noisy = [](const HistoryPoint& point) { return !point.why_noisy.empty(); };
  const auto noisy = std::count_if(series.points.begin(), series.points.end(), is_noisy);
  const bool never_quiet = 2 * static_cast<size_t>(noisy) > series.points.size();
  if (never_quiet && !accept_noisy) series.noisy_counted = static_cast<int>(noisy);
  std::vector<size_t> places;
  std::vector<double> logarithms;
  std::vector<int64_t> before_ns, since_ns;
  for (size_t i = 0; i < series.points.size(); ++i) {
    const HistoryPoint& point = series.points[i];
    if (is_noisy(point) && !accept_noisy && !never_quiet) {
      ++series.noisy;
      continue;
    }
    places.push_back(i);
    logarithms.push_back(std::log(static_cast<double>(point.time.ns)));
    (point.unix_ms < since_ms ? before_ns : since_ns).push_back(point.time.ns);
  }
  for (const ChangePoint& change : ChangePoints(logarithms, kMostChangePointP)) {
    const double before = std::exp(change.before), after = std::exp(change.after);
    if (std::abs(change.after - change.before) < std::log(1 + kSmallestEffect)) continue;
    series.changes.push_back(
        {places[change.at], change.p, after / before, std::llround(before), std::llround(after),
         WhatDiffers(series.points[places[change.at - 1]].with, series.points[places[change.at]].with)});
  }
  if (!before_ns.empty() && !since_ns.empty()) series.since = JudgeSamples(since_ns, before_ns, kSmallestEffect);
}

}  // namespace

std::vector<HistorySeries> BenchHistory(const std::vector<DatedResult>& results, int64_t since_ms, bool accept_noisy) {
  HistoryOfResults history;
  for (const DatedResult& result : results) history.Add(result);
  std::vector<HistorySeries> all = history.Take();
  for (HistorySeries& series : all) Judge(series, since_ms, accept_noisy);
  return all;
}

}  // namespace hone

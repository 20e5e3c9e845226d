#include "lab/bench/baseline.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "core/json/json_fields.h"
#include "core/machine/fingerprint.h"
#include "lab/bench/bench_result.h"
#include "lab/bench_format.h"
#include "lab/files/read_file.h"

namespace hone {
namespace {

// The round times of each name.
std::map<std::string, std::vector<int64_t>> RoundsByName(const Json& document) {
  std::map<std::string, std::vector<int64_t>> rounds;
  for (const Json& entry : ArrayField(document, "benchmarks")) {
    if (TextField(entry, "run_type") != "iteration") continue;
    const double ns = NumberField(entry, "real_time");
    if (!(ns >= 1 && ns < 1e18)) throw Error(ExitCode::kBadData, "real_time is no time");
    rounds[TextField(entry, "name")].push_back(std::llround(ns));
  }
  return rounds;
}

BenchConditions ConditionsOf(const Json& json) {
  return {TextField(json, "mode") == "throughput", TextField(json, "cache"), BoolField(json, "there"),
          TextField(json, "fill")};
}

// Packages of fixed shapes have none.
Extents ReadExtents(const Json& json) {
  Extents extents;
  const auto found = json.find("extents");
  if (found == json.end()) return extents;
  if (!found->is_object()) throw Error(ExitCode::kBadData, "field 'extents' is no object");
  for (const auto& item : found->items()) extents[item.key()] = IntegerField(*found, item.key().c_str(), 0);
  return extents;
}

BenchBaseline BaselineOf(const Json& document) {
  if (!document.is_object() || document.value("format", Json()) != kBenchFormat)
    throw Error(ExitCode::kBadData,
                "it is no result of hone bench; what --json or --write json=FILE wrote would be right");
  if (IntField(document, "version", 1) > kBenchVersion)
    throw Error(ExitCode::kBadData, "a newer hone wrote it; time the baseline again with this one");
  BenchBaseline baseline;
  baseline.fingerprint = TextField(document, "fingerprint");
  baseline.conditions = ConditionsOf(Field(document, "conditions"));
  const auto rounds = RoundsByName(document);
  for (const Json& json : ArrayField(document, "packages")) {
    const std::string name = TextField(json, "name");
    const auto found = rounds.find(name);
    if (found == rounds.end()) throw Error(ExitCode::kBadData, "no rounds of " + name);
    if (found->second.size() > size_t{kMostBenchRounds})
      throw Error(ExitCode::kBadData, "more rounds than a benchmark has");
    baseline.packages[name] = {IntField(json, "threads", 1),
                               IntField(json, "streams", 1),
                               IntegerField(json, "images", 1),
                               TextField(json, "precision"),
                               ExtentsText(ReadExtents(json)),
                               json.value("model", ""),
                               found->second};
  }
  return baseline;
}

[[noreturn]] void Unlike(const BenchBaseline& baseline, const std::string& what, const std::string& then,
                         const std::string& now) {
  throw Error(ExitCode::kBadConfig, fmt::format("{} cannot be compared: {} was {}, and is {} now", baseline.path, what,
                                                then.empty() ? "not known" : then, now.empty() ? "not known" : now));
}

template <typename T>
void Alike(const BenchBaseline& baseline, const std::string& what, const T& then, const T& now) {
  if (then != now) Unlike(baseline, what, fmt::format("{}", then), fmt::format("{}", now));
}

// Features and caches make a fingerprint long, so messages show its first word, by which people tell machines apart.
void AlikeMachines(const BenchBaseline& baseline, const std::string& now) {
  if (baseline.fingerprint == now && !now.empty()) return;
  const auto shown = [](const std::string& text) {
    return text.empty() ? std::string("a machine that does not tell")
                        : fmt::format("{} #{}", text.substr(0, text.find(' ')), Fingerprint::Parse(text).ShortId());
  };
  Unlike(baseline, "the machine", shown(baseline.fingerprint), shown(now));
}

const BenchBaseline::Package& CounterpartOf(const BenchBaseline& baseline, const BenchResult& result,
                                            const std::string& name) {
  if (baseline.packages.size() == 1 && result.packages.size() == 1) return baseline.packages.begin()->second;
  const auto found = baseline.packages.find(name);
  if (found != baseline.packages.end()) return found->second;
  std::string names;
  for (const auto& [known, package] : baseline.packages) names += (names.empty() ? "" : ", ") + known;
  throw Error(ExitCode::kBadConfig, fmt::format("{} has no {}; it has {}", baseline.path, name, names));
}

}  // namespace

BenchBaseline ReadBaseline(const std::string& path) {
  // --save may write the result anew.
  const std::string text = ReadFile(path, InputFile::Use::kOwnOutput);
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || text[begin] != '{') {
    throw Error(ExitCode::kBadData,
                fmt::format("--baseline: {} is no bench result; `hone bench P.hone --json` prints one", path));
  }
  try {
    BenchBaseline baseline = BaselineOf(ParseJson(text, path));
    Fingerprint::Parse(baseline.fingerprint);
    baseline.path = path;
    return baseline;
  } catch (const Error& e) {
    if (e.code() != ExitCode::kBadData) throw;
    throw Error(ExitCode::kBadData, fmt::format("--baseline {}: {}", path, e.what()));
  }
}

std::vector<Verdict> JudgeAgainst(const BenchBaseline& baseline, const BenchResult& result, double smallest_effect) {
  AlikeMachines(baseline, FingerprintOf(result.machine).ToText());
  const BenchConditions &then = baseline.conditions, &now = result.conditions;
  Alike(baseline, "throughput mode", then.throughput, now.throughput);
  Alike(baseline, "the cache mode", then.cache, now.cache);
  Alike(baseline, "whether a runner timed", then.there, now.there);
  Alike(baseline, "--fill", then.fill, now.fill);
  std::vector<Verdict> verdicts;
  for (const TimedPackage& timed : result.packages) {
    const std::string name = NameOf(timed, now);
    const BenchBaseline::Package& old = CounterpartOf(baseline, result, name);
    const std::string of = timed.path + "'s ";
    Alike(baseline, of + "number of threads", old.threads, timed.threads);
    Alike(baseline, of + "number of streams", old.streams, timed.streams);
    Alike(baseline, of + "batch", old.images, ImagesOf(timed));
    Alike(baseline, of + "free dimensions", old.extents, ExtentsText(timed.extents));
    Alike(baseline, of + "precision", old.precision, PrecisionOf(timed.package->plan()));
    verdicts.push_back(JudgeSamples(RoundTimes(timed, now.throughput), old.round_ns, smallest_effect));
    verdicts.back().package = name;
    verdicts.back().against = baseline.path;
  }
  return verdicts;
}

}  // namespace hone

#include "lab/bench/bench_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/hash/hash.h"
#include "core/machine/fingerprint.h"
#include "core/nth.h"
#include "core/stats/statistics.h"
#include "core/workload.h"
#include "lab/bench/time_runtimes.h"
#include "lab/bench_format.h"

namespace hone {
namespace {

const Dispatch& DispatchOf(const Plan& plan, const PlanCall& call) { return Nth(plan.kernels, call.kernel).dispatch; }

}  // namespace

std::string PrecisionOf(const Plan& plan) {
  std::set<std::string> types;
  for (const PlanKernel& kernel : plan.kernels) {
    if (kernel.dispatch.workload.empty()) continue;
    types.emplace(DTypeName(Workload::Parse(kernel.dispatch.workload).types.weight));
  }
  std::string text;
  for (const std::string& type : types) text += (text.empty() ? "" : "+") + type;
  return text.empty() ? "float32" : text;
}

int64_t ImagesOf(const TimedPackage& timed) {
  const Plan& plan = timed.package->plan();
  if (plan.inputs.empty()) return 1;
  for (const RangedAxis& axis : plan.ranged) {
    const auto extent = timed.extents.find(Nth(plan.buffers, axis.extent).name);
    if (axis.input == 0 && axis.axis == 0 && extent != timed.extents.end()) return std::max<int64_t>(1, extent->second);
  }
  const Shape& shape = Nth(plan.buffers, plan.inputs.front()).shape;
  return shape.empty() ? 1 : std::max<int64_t>(1, shape.front());
}

double FlopsOf(const Plan& plan) {
  double flops = 0;
  for (const PlanCall& call : plan.calls) flops += call.flops;
  return flops;
}

std::map<std::string, int> KernelSources(const Plan& plan) {
  std::map<std::string, int> calls;
  for (const PlanCall& call : plan.calls) ++calls[DispatchOf(plan, call).source];
  return calls;
}

int64_t ExpectedNs(const Plan& plan) {
  int64_t total_ns = 0;
  for (const PlanCall& call : plan.calls) total_ns += DispatchOf(plan, call).expected_ns;
  return total_ns;
}

std::string PackageSha256(const Package& package) { return Sha256Hex(DumpJson(package.manifest())); }

namespace {

constexpr double kBusyNoted = 0.5, kStealNoted = 0.01, kSpreadNoted = 0.03;

// The interquartile range over the median.
double SpreadOf(const TimedPackage& timed, bool throughput) {
  std::vector<int64_t> times_ns = RoundTimes(timed, throughput);
  if (times_ns.size() < 2) return 0;
  std::sort(times_ns.begin(), times_ns.end());
  const size_t n = times_ns.size();
  const int64_t median_ns = std::max<int64_t>(times_ns[n / 2], 1);
  return static_cast<double>(times_ns[(3 * n) / 4] - times_ns[n / 4]) / static_cast<double>(median_ns);
}

Json ContextJson(const BenchResult& result) {
  const MachineContext& c = result.context;
  Json caches = Json::array();
  for (const CacheContext& cache : c.caches) {
    caches.push_back(
        {{"type", cache.type}, {"level", cache.level}, {"size", cache.bytes}, {"num_sharing", cache.sharing}});
  }
  Json json = {{"date", c.date},
               {"host_name", result.machine.host},
               {"executable", "hone bench"},
               {"num_cpus", c.cpus},
               {"mhz_per_cpu", c.mhz},
               {"cpu_scaling_enabled", c.scaling.value_or(false)},
               {"caches", caches},
               {"load_avg", c.load},
               {"library_version", result.machine.hone_version},
               {"library_build_type", "release"},
               {"json_schema_version", 1}};
  if (c.aslr) json["aslr_enabled"] = *c.aslr;
  return json;
}

// Appends the entries of one package in google/benchmark's form.
void AddEntries(const BenchResult& result, size_t index, Json& entries) {
  const TimedPackage& timed = result.packages[index];
  const std::string name = NameOf(timed, result.conditions);
  const auto images = static_cast<double>(ImagesOf(timed));
  const auto entry = [&](const std::string& shown, const char* type) {
    return Json{{"name", shown},           {"family_index", index}, {"per_family_instance_index", 0},
                {"run_name", name},        {"run_type", type},      {"repetitions", timed.rounds.size()},
                {"threads", timed.threads}};
  };
  const std::vector<int64_t> real_ns = RoundTimes(timed, result.conditions.throughput);
  std::vector<int64_t> cpu_ns;
  for (size_t i = 0; i < timed.rounds.size(); ++i) {
    const Round& round = timed.rounds[i];
    cpu_ns.push_back(round.cpu_ns > 0 ? round.cpu_ns : real_ns[i]);
    Json json = entry(name, "iteration");
    json.update(Json{{"repetition_index", i},
                     {"iterations", round.runs},
                     {"real_time", real_ns[i]},
                     {"cpu_time", cpu_ns.back()},
                     {"time_unit", "ns"},
                     {"items_per_second", round.runs_per_second * images}});
    entries.push_back(json);
  }
  Json median = entry(name + "_median", "aggregate");
  median.update(Json{{"aggregate_name", "median"},
                     {"aggregate_unit", "time"},
                     {"iterations", timed.rounds.size()},
                     {"real_time", StatisticsOf(real_ns).median_ns},
                     {"cpu_time", StatisticsOf(cpu_ns).median_ns},
                     {"time_unit", "ns"},
                     {"items_per_second", ImagesPerSecond(timed, result.conditions)}});
  entries.push_back(median);
}

Json RoundsJson(const TimedPackage& timed) {
  const auto images = static_cast<double>(ImagesOf(timed));
  Json rounds = Json::array();
  for (const Round& round : timed.rounds) {
    rounds.push_back({{"p10_ns", round.p10_ns},
                      {"median_ns", round.median_ns},
                      {"runs", round.runs},
                      {"cpu_ns", round.cpu_ns},
                      {"images_per_second", round.runs_per_second * images}});
  }
  return rounds;
}

Json PerOpJson(const TimedPackage& timed, bool there) {
  Json list = Json::array();
  const Plan& plan = timed.package->plan();
  for (size_t i = 0; i < timed.call_ns.size(); ++i) {
    const PlanCall& call = plan.calls[i];
    const Dispatch& d = Nth(plan.kernels, call.kernel).dispatch;
    list.push_back({{"op", call.op},
                    {"nodes", call.nodes},
                    {"schedule", d.schedule},
                    {"config", d.config},
                    {"workload", d.workload},
                    {there ? "min_ns" : "median_ns", timed.call_ns[i]},
                    {"expected_ns", d.expected_ns},
                    {"gflops", timed.call_ns[i] > 0 ? call.flops / static_cast<double>(timed.call_ns[i]) : 0.0}});
  }
  return list;
}

Json PackageJson(const TimedPackage& timed, const BenchResult& result) {
  const Plan& plan = timed.package->plan();
  Json json = {{"name", NameOf(timed, result.conditions)},
               {"path", timed.path},
               {"model", plan.model},
               {"package_sha256", PackageSha256(*timed.package)},
               {"hone_version", timed.package->manifest().value("hone", "")},
               {"streams", timed.streams},
               {"precision", PrecisionOf(plan)},
               {"images", ImagesOf(timed)},
               {"flops", FlopsOf(plan)},
               {"kernels", KernelSources(plan)}};
  json.update(TimesJson(timed));
  json["images_per_second"] = ImagesPerSecond(timed, result.conditions);
  json["rounds"] = RoundsJson(timed);
  if (!timed.extents.empty()) json["extents"] = timed.extents;
  if (const double joules = JoulesPerImage(timed); joules > 0) json["joules_per_image"] = joules;
  if (result.per_op) json["per_op"] = PerOpJson(timed, result.conditions.there);
  json["expected_ns"] = ExpectedNs(plan);
  json["expected_share"] = ExpectedShare(timed);
  return json;
}

Json NoiseJson(const BenchResult& result) {
  return {{"load", result.machine.load},
          {"busy_cpus", result.noise.busy_cpus},
          {"steal_share", result.noise.steal_share},
          {"spread", result.noise.spread},
          {"notes", result.noise.notes}};
}

}  // namespace

std::string NameOf(const TimedPackage& timed, const BenchConditions& conditions) {
  return conditions.throughput ? fmt::format("{}/streams:{}", timed.path, timed.streams) : timed.path;
}

double ImagesPerSecond(const TimedPackage& timed, const BenchConditions& conditions) {
  const auto images = static_cast<double>(ImagesOf(timed));
  if (!conditions.throughput) {
    const int64_t p10_ns = StatisticsOf(timed.samples_ns).p10_ns;
    return p10_ns > 0 ? 1e9 * images / static_cast<double>(p10_ns) : 0;
  }
  std::vector<double> rates;
  for (const Round& round : timed.rounds) rates.push_back(round.runs_per_second * images);
  if (rates.empty()) return 0;
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

double JoulesPerImage(const TimedPackage& timed) {
  return timed.joules_per_run / static_cast<double>(std::max<int64_t>(1, ImagesOf(timed)));
}

double ExpectedShare(const TimedPackage& timed) {
  const int64_t min_ns = StatisticsOf(timed.samples_ns).min_ns;
  return min_ns > 0 ? static_cast<double>(ExpectedNs(timed.package->plan())) / static_cast<double>(min_ns) : 0;
}

void JudgeNoise(BenchResult& result) {
  BenchNoise& noise = result.noise;
  const Environment& machine = result.machine;
  std::vector<const TimedPackage*> all;
  for (const RuntimeTimes& each : result.runtimes) all.push_back(&each.timed);
  if (all.empty()) {
    for (const TimedPackage& timed : result.packages) all.push_back(&timed);
  }
  for (const TimedPackage* timed : all)
    noise.spread = std::max(noise.spread, SpreadOf(*timed, result.conditions.throughput));
  const auto note = [&](bool when, std::string text) {
    if (when) noise.notes.push_back(std::move(text));
  };
  note(noise.busy_cpus > kBusyNoted,
       fmt::format("other programs used {:.2f} CPUs before timing: they share the cores", noise.busy_cpus));
  note(noise.steal_share > kStealNoted,
       fmt::format("the hypervisor took {:.1f} % of the cores' time", 100 * noise.steal_share));
  note(noise.spread > kSpreadNoted, fmt::format("rounds differ by {:.1f} %", 100 * noise.spread));
  note(!machine.governor.empty() && machine.governor != "performance",
       fmt::format("the governor is {}: clocks change", machine.governor));
  note(machine.emulated, "the machine is emulated: these are not the times of such a device");
  note(!machine.health.empty(), machine.health);
  for (const TimedPackage* timed : all)
    note(!timed->settled, fmt::format("{} was still becoming faster when its warm-up ended", timed->path));
}

Json TimesJson(const TimedPackage& timed) {
  const Statistics s = StatisticsOf(timed.samples_ns);
  return {{"threads", timed.threads},
          {"runs", timed.runs},
          {"batch", timed.batch},
          {"min_ns", s.min_ns},
          {"p10_ns", s.p10_ns},
          {"median_ns", s.median_ns},
          {"p90_ns", s.p90_ns},
          {"p99_ns", s.p99_ns},
          {"median_ci95_ns", Json::array({s.median_low_ns, s.median_high_ns})},
          {"stable", timed.settled}};
}

Json ToJson(const BenchResult& result) {
  Json entries = Json::array(), packages = Json::array(), verdicts = Json::array();
  for (size_t i = 0; i < result.packages.size(); ++i) {
    AddEntries(result, i, entries);
    packages.push_back(PackageJson(result.packages[i], result));
  }
  for (const Verdict& verdict : result.verdicts) verdicts.push_back(ToJson(verdict));
  const Fingerprint fingerprint = FingerprintOf(result.machine);
  Json json = {{"context", ContextJson(result)},
               {"benchmarks", entries},
               {"format", kBenchFormat},
               {"version", kBenchVersion},
               {"packages", packages},
               {"machine", ToJson(result.machine)},
               {"fingerprint", fingerprint.ToText()},
               {"device", fingerprint.ShortId()},
               {"conditions",
                {{"mode", result.conditions.throughput ? "throughput" : "latency"},
                 {"cache", result.conditions.cache},
                 {"there", result.conditions.there},
                 {"fill", result.conditions.fill}}},
               {"noise", NoiseJson(result)},
               {"verdicts", verdicts}};
  for (const RuntimeTimes& each : result.runtimes) json["runtimes"].push_back(ToJson(each));
  if (result.energy.asked) json["energy"] = {{"domains", result.energy.domains}, {"why_not", result.energy.why_not}};
  if (result.packages.size() == 2 && result.verdicts.size() == 1) json["verdict"] = verdicts[0];
  return json;
}

}  // namespace hone

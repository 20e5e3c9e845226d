#include "rpc_runner/machine/machine_kind.h"

#include <fmt/format.h>

#include "core/machine/fingerprint.h"

namespace hone {
namespace {

constexpr double kMostApart = 1.03;  // the slower golden time over the faster one

// Compares the golden times only if both are known and of the same golden kernel; otherwise there is no difference.
std::string GoldenDifference(const Json& golden, const Json& wanted) {
  const auto ns_of = [](const Json& of) {
    const bool has = of.is_object() && of.contains("kernel") && of.contains("ns") && of["ns"].is_number_integer();
    return has ? of["ns"].get<int64_t>() : 0;
  };
  const int64_t ns = ns_of(golden), wanted_ns = ns_of(wanted);
  if (ns <= 0 || wanted_ns <= 0 || golden["kernel"] != wanted["kernel"]) return "";
  const double ratio = static_cast<double>(ns) / static_cast<double>(wanted_ns);
  if (ratio > kMostApart) return fmt::format("golden kernel {:.1f} % slower", 100 * (ratio - 1));
  if (ratio < 1 / kMostApart) return fmt::format("golden kernel {:.1f} % faster", 100 * (1 / ratio - 1));
  return "";
}

}  // namespace

Json MachineKind(const Environment& environment, const std::string& boot) {
  Json kind = {{"cpu", environment.cpu_model}, {"cpu_id", environment.cpu_id},     {"cores", environment.cores},
               {"caches", environment.caches}, {"emulated", environment.emulated}, {"features", environment.features}};
  if (!environment.core_kind.empty()) kind["core_kind"] = environment.core_kind;
  const Fingerprint fingerprint = FingerprintOf(environment);
  if (!fingerprint.host.empty()) kind["host"] = fingerprint.host;
  if (environment.golden_ns > 0) {
    kind["golden"] = {{"kernel", environment.golden_kernel}, {"ns", environment.golden_ns}};
  }
  if (!boot.empty()) kind["boot"] = boot;
  return kind;
}

std::string KindDifference(const Json& kind, const Json& wanted) {
  const auto value = [](const Json& of, const char* field) { return of.contains(field) ? of[field] : Json(); };
  for (const char* field : {"cpu_id", "host", "cores", "caches", "core_kind", "emulated"}) {
    const Json has = value(kind, field), should = value(wanted, field);
    if (has != should) return fmt::format("its {} is {}, not {}", field, DumpJson(has), DumpJson(should));
  }
  // The differing features are too many to name.
  if (value(kind, "features") != value(wanted, "features")) return "its CPU features are others";
  const Json boot = value(kind, "boot");
  if (!boot.is_null() && boot == value(wanted, "boot")) return "";
  return GoldenDifference(value(kind, "golden"), value(wanted, "golden"));
}

}  // namespace hone

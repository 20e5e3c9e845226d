#include "rpc_runner/machine/machine_kind.h"

#include <fmt/format.h>

#include "core/fingerprint.h"

namespace hone {

Json MachineKind(const Environment& environment) {
  Json kind = {{"cpu", environment.cpu_model}, {"cpu_id", environment.cpu_id},     {"cores", environment.cores},
               {"caches", environment.caches}, {"emulated", environment.emulated}, {"features", environment.features}};
  if (!environment.core_kind.empty()) kind["core_kind"] = environment.core_kind;
  const Fingerprint fingerprint = FingerprintOf(environment);
  if (!fingerprint.host.empty()) kind["host"] = fingerprint.host;
  return kind;
}

std::string KindDifference(const Json& kind, const Json& wanted) {
  const auto value = [](const Json& of, const char* field) { return of.contains(field) ? of[field] : Json(); };
  for (const char* field : {"cpu_id", "host", "cores", "caches", "core_kind", "emulated"}) {
    const Json has = value(kind, field), should = value(wanted, field);
    if (has != should) return fmt::format("its {} is {}, not {}", field, DumpJson(has), DumpJson(should));
  }
  // Too many to name.
  return value(kind, "features") == value(wanted, "features") ? "" : "its CPU features are others";
}

}  // namespace hone

#include "rpc_runner/machine_kind.h"

#include <fmt/format.h>

namespace hone {

Json MachineKind(const Environment& environment) {
  return {{"cpu", environment.cpu_model}, {"cpu_id", environment.cpu_id},     {"cores", environment.cores},
          {"caches", environment.caches}, {"emulated", environment.emulated}, {"features", environment.features}};
}

std::string KindDifference(const Json& kind, const Json& wanted) {
  const auto value = [](const Json& of, const char* field) { return of.contains(field) ? of[field] : Json(); };
  for (const char* field : {"cpu", "cpu_id", "cores", "caches", "emulated"}) {
    const Json has = value(kind, field), should = value(wanted, field);
    if (has != should) return fmt::format("its {} is {}, not {}", field, DumpJson(has), DumpJson(should));
  }
  // Too many to name.
  return value(kind, "features") == value(wanted, "features") ? "" : "its CPU features are others";
}

}  // namespace hone

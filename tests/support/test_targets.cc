#include "tests/support/test_targets.h"

#include "compiler/codegen/target/host.h"

namespace hone::testing {

std::vector<Target> TestTargets() {
  const Target host = HostTarget();
  std::vector<Target> targets{host};
  for (const char* cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    const Target level{host.triple, cpu, {}, host.num_cores};
    if (host.triple.starts_with("x86_64") && MissingFeature(level).empty()) targets.push_back(level);
  }
  return targets;
}

}  // namespace hone::testing

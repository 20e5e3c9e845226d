#include "cli/comparison/roofs_of_devices.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/comparison/compare_records.h"
#include "core/fingerprint.h"
#include "rpc_runner/health/health_watch.h"
#include "rpc_runner/machine/environment.h"

namespace hone {
namespace {

// What is measured while others keep the machine busy is no roof.
constexpr double kCredible = 0.25;  // of what is assumed

MachineRoofs Credible(const MachineRoofs& measured, const MachineRoofs& assumed) {
  const bool is_roof =
      measured.gflops >= kCredible * assumed.gflops && measured.read_gbps >= kCredible * assumed.read_gbps;
  return is_roof ? measured : assumed;
}

}  // namespace

MachineRoofs RoofFor(const std::vector<Roof>& roofs, int threads) {
  const Roof* best = nullptr;
  for (const Roof& roof : roofs) {
    if (best == nullptr) best = &roof;
    const bool enough = roof.threads >= threads, best_enough = best->threads >= threads;
    if (enough != best_enough ? enough : enough ? roof.threads < best->threads : roof.threads > best->threads)
      best = &roof;
  }
  return best == nullptr ? MachineRoofs() : MachineRoofs{best->gflops, best->read_gbps, true};
}

std::function<MachineRoofs(const ComparedDevice& device)> RoofsKnownHere() {
  const Environment here = ProbeEnvironment();
  const std::string machine = FingerprintOf(here).ToText();
  const auto measured = std::make_shared<std::optional<std::vector<Roof>>>();
  return [=](const ComparedDevice& device) {
    if (device.machine != machine || device.threads > here.cores) return AssumedRoofs(device);
    if (!measured->has_value()) *measured = RoofsOfThisMachine({}, here);
    return Credible(RoofFor(**measured, device.threads), AssumedRoofs(device));
  };
}

}  // namespace hone

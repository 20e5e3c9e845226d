#include "lab/comparison/roofs_of_devices.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "core/machine/fingerprint.h"
#include "lab/comparison/compare_records.h"
#include "rpc_runner/health/health_watch.h"
#include "rpc_runner/machine/environment.h"

namespace hone {
namespace {

// A roof measured while other programs keep the machine busy is too low to be one.
constexpr double kCredible = 0.25;  // share of the assumed roof

// Whether rows of `a` threads tell more about `threads` than those of `b`.
bool IsNearer(int a, int b, int threads) {
  const bool enough = a >= threads, b_enough = b >= threads;
  if (enough != b_enough) return enough;
  return enough ? a < b : a > b;
}

}  // namespace

MachineRoofs RoofFor(const std::vector<Roof>& roofs, int threads) {
  if (roofs.empty()) return {};
  const auto nearer = [&](const Roof& a, const Roof& b) { return IsNearer(a.threads, b.threads, threads); };
  const int rows_threads = std::min_element(roofs.begin(), roofs.end(), nearer)->threads;
  MachineRoofs greatest{0, 0, true};
  for (const Roof& roof : roofs) {
    if (roof.threads != rows_threads) continue;
    greatest.gflops = std::max(greatest.gflops, roof.gflops);
    greatest.read_gbps = std::max(greatest.read_gbps, roof.read_gbps);
  }
  return greatest;
}

std::optional<MachineRoofs> CredibleRoofs(const std::vector<Roof>& measured, const ComparedDevice& device) {
  const MachineRoofs roofs = RoofFor(measured, device.threads), assumed = AssumedRoofs(device);
  const bool credible =
      roofs.measured && roofs.gflops >= kCredible * assumed.gflops && roofs.read_gbps >= kCredible * assumed.read_gbps;
  return credible ? std::optional(roofs) : std::nullopt;
}

std::function<MachineRoofs(const ComparedDevice& device)> RoofsKnownHere() {
  const Environment here = ProbeEnvironment();
  const std::string machine = FingerprintOf(here).ToText();
  const auto measured = std::make_shared<std::optional<std::vector<Roof>>>();
  return [=](const ComparedDevice& device) {
    if (device.machine != machine || device.threads > here.cores) return AssumedRoofs(device);
    if (!measured->has_value()) *measured = RoofsOfThisMachine({}, here);
    return CredibleRoofs(**measured, device).value_or(AssumedRoofs(device));
  };
}

}  // namespace hone

#include "compiler/codegen/target/machine_target.h"

#include <fmt/format.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

#include "compiler/codegen/target/host.h"
#include "core/error.h"
#include "core/machine/fingerprint.h"
#include "core/machine/llvm_cpu_name.h"
#include "core/text/printable.h"

namespace hone {
namespace {

std::string ArchOf(const Environment& machine) {
  return machine.arch.empty() ? std::string(ArchitectureOf(FingerprintOf(machine))) : machine.arch;
}

llvm::Triple::ArchType ArchOf(const std::string& triple) { return llvm::Triple(triple).getArch(); }

// The triple of this machine if the architecture is the same, so that equal machines have equal targets.
std::string TripleOf(const std::string& arch) {
  const std::string own = llvm::sys::getDefaultTargetTriple();
  if (ArchOf(own) == ArchOf(arch)) return own;
  return arch + (arch == "armv7" ? "-unknown-linux-gnueabihf" : "-linux-gnu");
}

// The first feature that the target's code may use and the machine lacks, or empty.
std::string FeatureMissingOn(const Environment& machine, const Target& target) {
  const Fingerprint fingerprint = FingerprintOf(machine);
  if (fingerprint.features.empty()) return "";
  for (const std::string& feature : ImpliedFeatures(target)) {
    if (!fingerprint.Has(feature)) return feature;
  }
  return "";
}

// The features in which the machine differs from its CPU's name, with "+" or "-". Sorted.
std::vector<std::string> BesideTheName(const Target& named, const Fingerprint& fingerprint) {
  std::vector<std::string> features;
  if (fingerprint.features.empty()) return features;
  const std::vector<std::string> implied = ImpliedFeatures(named);
  for (const std::string& feature : NamedFeatures()) {
    const bool has = fingerprint.Has(feature);
    const bool is_implied = std::find(implied.begin(), implied.end(), feature) != implied.end();
    if (has != is_implied) features.push_back((has ? "+" : "-") + feature);
  }
  std::sort(features.begin(), features.end());
  return features;
}

}  // namespace

Target TargetOf(const Environment& machine) {
  Target target;
  const std::string arch = ArchOf(machine);
  target.cpu = LlvmCpuOf(machine);
  if (arch.empty() || target.cpu.empty()) {
    throw Error(ExitCode::kBadConfig,
                fmt::format("{} does not tell its CPU; --target with the CPU's name is right", machine.host));
  }
  target.triple = TripleOf(arch);
  target.num_cores = machine.cores;
  target.features = BesideTheName(target, FingerprintOf(machine));
  SpellOutFeatures(target);
  return target;
}

std::string WhyNotOn(const Environment& machine, const Target& target, int threads) {
  const std::string arch = ArchOf(machine);
  if (!arch.empty() && ArchOf(arch) != ArchOf(target.triple)) {
    return fmt::format("the target is {}, it runs {} code", target.ToText(), arch);
  }
  if (const std::string missing = FeatureMissingOn(machine, target); !missing.empty()) {
    return fmt::format("the target {} needs {}, which it lacks", target.ToText(), missing);
  }
  if (machine.cores > 0 && threads > machine.cores) {
    return fmt::format("{} threads were asked for, it has {}", threads, Counted(machine.cores, "core"));
  }
  return "";
}

}  // namespace hone

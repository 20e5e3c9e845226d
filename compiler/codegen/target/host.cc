#include "compiler/codegen/target/host.h"

#include <fmt/format.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/TargetParser/Host.h>
#include <sched.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "compiler/codegen/target/named_targets.h"
#include "compiler/codegen/target/target_machine.h"
#include "core/error.h"
#include "core/machine/cpu_feature_table.h"
#include "core/machine/llvm_cpu_name.h"
#include "core/machine/required_features.h"
#include "core/text/spelling.h"

namespace hone {
namespace {

std::unique_ptr<llvm::MCSubtargetInfo> Subtarget(const Target& target) {
  InitializeTargets();
  std::string reason;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target.triple, reason);
  if (!found) throw Error(ExitCode::kUsage, fmt::format("target triple '{}': {}", target.triple, reason));
  return std::unique_ptr<llvm::MCSubtargetInfo>(
      found->createMCSubtargetInfo(target.triple, target.cpu, FeatureString(target)));
}

std::vector<std::string> CpusOf(const std::string& triple) {
  const auto subtarget = Subtarget({triple, "", {}, 0});
  std::vector<std::string> cpus;
  for (const auto& row : subtarget->getAllProcessorDescriptions()) cpus.emplace_back(row.Key);
  return cpus;
}

int AffinityCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

void CheckKnown(const Target& target) {
  Target plain = target;
  plain.cpu.clear();
  plain.features.clear();
  const auto subtarget = Subtarget(plain);
  const std::vector<std::string> cpus = CpusOf(target.triple);
  std::vector<std::string> features;
  for (const auto& row : subtarget->getAllProcessorFeatures()) features.emplace_back(row.Key);
  if (!target.cpu.empty() && std::find(cpus.begin(), cpus.end(), target.cpu) == cpus.end()) {
    throw Error(ExitCode::kUsage, fmt::format("-mcpu={} is not a CPU that LLVM knows for {}{}", target.cpu,
                                              target.triple, DidYouMean(target.cpu, cpus)));
  }
  for (const std::string& feature : target.features) {
    const std::string name = feature.substr(1);
    if (std::find(features.begin(), features.end(), name) != features.end()) continue;
    std::vector<std::string> signed_names = features;
    for (std::string& known : signed_names) known.insert(0, 1, feature[0]);
    throw Error(ExitCode::kUsage, fmt::format("-mattr={} is not a feature that LLVM knows for {}{}", feature,
                                              target.triple, DidYouMean(feature, signed_names)));
  }
}

// Kernels need products and float32 as instructions. Without them the link would fail: lld names the functions that
// stand in for them.
void CheckRiscv(const Target& target) {
  if (!llvm::Triple(target.triple).isRISCV()) return;
  const std::vector<std::string> has = ImpliedFeatures(target);
  for (const char* needed : {"m", "f", "d"}) {
    if (std::find(has.begin(), has.end(), needed) != has.end()) continue;
    throw Error(ExitCode::kUsage,
                fmt::format("target '{}' has no {}: kernels for RISC-V need m, f and d; -mattr=+a,+c,+d,+f,+m is what "
                            "boards with Linux have, and +v where there are vectors",
                            target.ToText(), needed));
  }
}

// A triple of ARM names an instruction set, and hone has kernels for only one.
void CheckArm(const Target& target) {
  const llvm::Triple triple(target.triple);
  if (!triple.isARM() && !triple.isThumb()) return;
  if (triple.getArchName() != "armv7" || !triple.isTargetEHABICompatible()) {
    throw Error(ExitCode::kUsage, fmt::format("target triple '{}': of 32-bit ARM hone has kernels for ARMv7 with NEON, "
                                              "whose triple is armv7-linux-gnueabihf",
                                              target.triple));
  }
  const std::vector<std::string> has = ImpliedFeatures(target);
  if (std::find(has.begin(), has.end(), "neon") != has.end()) return;
  throw Error(ExitCode::kUsage, fmt::format("target '{}' has no neon, which kernels for ARM need", target.ToText()));
}

// The first architecture that has such a CPU.
std::optional<Target> TargetOfCpu(const std::string& cpu) {
  if (IsGenericCpu(cpu)) return std::nullopt;
  for (const char* triple : {"x86_64-pc-linux-gnu", "aarch64-unknown-linux-gnu", "riscv64-unknown-linux-gnu",
                             "armv7-unknown-linux-gnueabihf"}) {
    const std::vector<std::string> cpus = CpusOf(triple);
    if (std::find(cpus.begin(), cpus.end(), cpu) != cpus.end()) return Target{triple, cpu, {}, 0};
  }
  return std::nullopt;
}

// The target of a triple as LLVM writes it, of a name in NamedTargets, of a CPU by LLVM's name, or of a nickname.
Target TargetOfWord(const std::string& word) {
  Target target;
  target.triple = word;
  if (word.find('-') != word.npos && llvm::Triple(word).getArch() != llvm::Triple::UnknownArch) return target;
  std::vector<std::string> names = {"host"};
  for (const NamedTarget& known : NamedTargets()) {
    if (known.name == word) return known.target;
    names.push_back(known.name);
  }
  if (const std::optional<Target> found = TargetOfCpu(word)) return *found;
  const std::string meant(MeantByNickname(word));
  if (!meant.empty()) return meant == "host" ? HostTarget() : TargetOfWord(meant);
  throw Error(ExitCode::kUsage,
              fmt::format("target '{}' is neither host, a CPU's name, a triple, nor a text as in llvm "
                          "-mtriple=aarch64-linux-gnu -mcpu=cortex-a72 (hone compiles for CPUs; `hone targets` lists "
                          "them){}",
                          word, DidYouMean(word, names)));
}

}  // namespace

Target HostTarget() {
  Target target;
  target.triple = llvm::sys::getDefaultTargetTriple();
  target.cpu = llvm::sys::getHostCPUName().str();
  target.num_cores = AffinityCores();
  const auto host = llvm::sys::getHostCPUFeatures();
  if (host.lookup("amx-tile")) target.cpu = CpuWithTiles(target.cpu);
  // A hypervisor may hide features that the CPU's name implies; code must not use those. It may also show one CPU under
  // another's number, which then has more features than the name implies.
  const std::vector<std::string> implied = ImpliedFeatures(target);
  for (const std::string& feature : NamedFeatures()) {
    const auto found = host.find(feature);
    if (found == host.end()) continue;
    const bool is_implied = std::find(implied.begin(), implied.end(), feature) != implied.end();
    if (found->second != is_implied) target.features.push_back((found->second ? "+" : "-") + feature);
  }
  std::sort(target.features.begin(), target.features.end());
  SpellOutFeatures(target);
  return target;
}

Target ResolveTarget(std::string_view text) {
  if (text == "host" || text == "native") return HostTarget();
  const bool one_word = !text.empty() && text != "llvm" && text.find(' ') == text.npos;
  Target target = one_word ? TargetOfWord(std::string(text)) : Target::Parse(text);
  if (target.triple.empty()) target.triple = llvm::sys::getDefaultTargetTriple();
  // An ARM triple ends in the calling convention. LLVM only finds it if the triple has a vendor, so the triple is
  // normalised.
  if (llvm::Triple(target.triple).isARM()) target.triple = llvm::Triple::normalize(target.triple);
  CheckKnown(target);
  CheckRiscv(target);
  CheckArm(target);
  SpellOutFeatures(target);
  return target;
}

void SpellOutFeatures(Target& target) {
  if (target.cpu.empty() || HasFigures(target)) return;
  const std::vector<std::string> implied = ImpliedFeatures(target);
  std::set<std::string> spelled(target.features.begin(), target.features.end());
  for (const std::string& feature : implied) spelled.insert("+" + feature);
  target.features.assign(spelled.begin(), spelled.end());
  for (const std::string& feature : MachineModelFor(target).required_features) {
    if (std::find(implied.begin(), implied.end(), feature) == implied.end()) spelled.insert("-" + feature);
  }
  target.features.assign(spelled.begin(), spelled.end());
}

const std::vector<std::string>& NamedFeatures() {
  static const std::vector<std::string> named = [] {
    std::set<std::string> names;
    for (const CpuFeature& feature : CpuFeatureTable()) {
      if (feature.in_targets) names.emplace(feature.name);
    }
    return std::vector<std::string>(names.begin(), names.end());
  }();
  return named;
}

std::vector<std::string> ImpliedFeatures(const Target& target) {
  const std::vector<std::string>& all = NamedFeatures();
  const auto subtarget = Subtarget(target);
  std::vector<std::string> implied;
  for (const auto& row : subtarget->getAllProcessorFeatures()) {
    const bool named = std::find(all.begin(), all.end(), row.Key) != all.end();
    if (named && subtarget->checkFeatures("+" + std::string(row.Key))) implied.emplace_back(row.Key);
  }
  return implied;
}

std::string MissingFeature(const Target& target) {
  const auto host = llvm::sys::getHostCPUFeatures();
  const MachineModel machine = MachineModelFor(target);
  std::vector<std::string> needed = RequiredFeatures(machine, ByteTypes(DType::kUInt8));
  const auto bfloats = RequiredFeatures(machine, FloatTypes(DType::kBFloat16, DType::kBFloat16, DType::kBFloat16));
  needed.insert(needed.end(), bfloats.begin(), bfloats.end());
  for (const std::string& feature : needed) {
    const auto found = host.find(feature);
    if (found == host.end() || !found->second) return feature;
  }
  return "";
}

}  // namespace hone

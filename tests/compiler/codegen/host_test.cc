#include "compiler/codegen/target/host.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/codegen/target/target_machine.h"
#include "core/error.h"
#include "core/machine/cpu_feature_table.h"
#include "core/machine/llvm_cpu_name.h"
#include "rpc_runner/machine/environment.h"
#include "runtime/host_cpu.h"

namespace hone {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Refusal(const std::string& text) {
  try {
    ResolveTarget(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "";
}

TEST(HostTarget, IsNamedAndRunsHere) {
  const Target host = HostTarget();
  EXPECT_FALSE(host.triple.empty());
  EXPECT_FALSE(host.cpu.empty());
  EXPECT_NE(host.cpu, "native");
  EXPECT_GE(host.num_cores, 1);
  EXPECT_EQ(MissingFeature(host), "");
}

TEST(ResolveTarget, TakesHostAndItsOwnText) {
  EXPECT_EQ(ResolveTarget("host"), HostTarget());
  EXPECT_EQ(ResolveTarget(HostTarget().ToText()), HostTarget());
}

TEST(ResolveTarget, FillsInTheTripleOfThisMachine) {
  EXPECT_EQ(ResolveTarget("llvm -mcpu=" + HostTarget().cpu).triple, HostTarget().triple);
}

TEST(ResolveTarget, NamesTheNearestCpuAndFeature) {
  EXPECT_THAT(Refusal("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a27"), HasSubstr("did you mean cortex-a"));
  EXPECT_THAT(Refusal("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=znver3 -mattr=+avx3"), HasSubstr("did you mean +avx"));
  EXPECT_THAT(Refusal("llvm -mtriple=vax-dec-ultrix -mcpu=11"), HasSubstr("vax-dec-ultrix"));
}

TEST(ResolveTarget, TakesATripleAndACpuOfTheTable) {
  EXPECT_EQ(ResolveTarget("aarch64-linux-gnu").ToText(), "llvm -mtriple=aarch64-linux-gnu");
  const Target pi = ResolveTarget("cortex-a72");
  EXPECT_THAT(pi.ToText(), HasSubstr("-mtriple=aarch64-"));
  EXPECT_EQ(pi.cpu, "cortex-a72");
  EXPECT_THAT(ResolveTarget("x86-64-v3").triple, HasSubstr("x86_64-"));
  EXPECT_THAT(Refusal("cortex-a721"), HasSubstr("did you mean cortex-a72?"));
  EXPECT_THAT(Refusal("generic"), HasSubstr("neither host"));
  EXPECT_THAT(Refusal("cuda"), HasSubstr("neither host"));
}

TEST(ResolveTarget, TakesACpuThatOnlyLlvmKnows) {
  const Target phone = ResolveTarget("cortex-x2");
  EXPECT_THAT(phone.ToText(), AllOf(HasSubstr("-mtriple=aarch64-"), HasSubstr("-mcpu=cortex-x2"), HasSubstr("+i8mm")));
  EXPECT_EQ(ResolveTarget(phone.ToText()), phone);
  EXPECT_EQ(MachineModelFor(ResolveTarget("sifive-x280")).vector_lanes, 16);
  EXPECT_EQ(ResolveTarget("x86-64-v3").features, std::vector<std::string>());
}

// For each CPU that LLVM knows, schedules use its widest vectors, whether or not the table of rows has the CPU.
TEST(ResolveTarget, LeavesNoVectorsOfACpuUnused) {
  int wide = 0, half = 0;
  const Target plain{"x86_64-pc-linux-gnu", "", {}, 0};
  for (const auto& row : MakeTargetMachine(plain)->getMCSubtargetInfo()->getAllProcessorDescriptions()) {
    const Target target = ResolveTarget("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=" + std::string(row.Key));
    const std::vector<std::string> features = ImpliedFeatures(target);
    const auto has_all = [&](std::initializer_list<const char*> names) {
      return std::all_of(names.begin(), names.end(), [&](const char* n) {
        return std::find(features.begin(), features.end(), n) != features.end();
      });
    };
    const bool avx512 = has_all({"avx2", "fma", "avx512f", "avx512bw", "avx512dq", "avx512vl"});
    const bool avx2 = has_all({"avx2", "fma"});
    const MachineModel machine = MachineModelFor(target);
    EXPECT_EQ(machine.vector_lanes, avx512 ? 16 : avx2 ? 8 : 4) << target.ToText();
    EXPECT_EQ(machine.byte_dots == ByteDots::kMixedFours, has_all({"avxvnni"}) || (avx512 && has_all({"avx512vnni"})))
        << target.ToText();
    (avx512 ? wide : half) += avx2;
  }
  EXPECT_GT(wide, 12);
  EXPECT_GT(half, 12);
}

TEST(ResolveTarget, RefusesRiscvThatCannotMultiply) {
  EXPECT_THAT(Refusal("riscv64-linux-gnu"), HasSubstr("has no m: "));
  EXPECT_THAT(Refusal("llvm -mtriple=riscv64-linux-gnu -mcpu=generic-rv64 -mattr=+f,+m"), HasSubstr("has no d: "));
  EXPECT_EQ(Refusal("llvm -mtriple=riscv64-linux-gnu -mcpu=generic-rv64 -mattr=+d,+f,+m"), "");
  EXPECT_EQ(Refusal("llvm -mtriple=riscv64-linux-gnu -mcpu=sifive-u74"), "");
}

TEST(ResolveTarget, Of32BitArmTakesArmv7WithNeonAlone) {
  EXPECT_EQ(Refusal("armv7-linux-gnueabihf"), "");
  EXPECT_EQ(ResolveTarget("armv7-linux-gnueabihf"), ResolveTarget("armv7-unknown-linux-gnueabihf"));
  EXPECT_EQ(ResolveTarget("cortex-a7").triple, "armv7-unknown-linux-gnueabihf");
  EXPECT_EQ(Refusal("llvm -mtriple=armv7-linux-gnueabihf -mcpu=cortex-a53"), "");
  for (const char* triple : {"arm-linux-gnueabihf", "armv6-linux-gnueabihf", "thumbv7-linux-gnueabihf"}) {
    EXPECT_THAT(Refusal(triple), HasSubstr("whose triple is armv7-linux-gnueabihf")) << triple;
  }
  EXPECT_THAT(Refusal("llvm -mtriple=armv7-linux-gnueabihf -mcpu=cortex-a9 -mattr=-neon"), HasSubstr("has no neon"));
}

// A feature that no list of required features names may be missing on another maker's CPU with the same vectors.
TEST(MakeTargetMachine, UsesNoInstructionsOfOneMakerAlone) {
  for (const char* cpu : {"znver1", "znver3", "znver4", "znver5"}) {
    const auto machine =
        MakeTargetMachine(Target::Parse(std::string("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=") + cpu));
    EXPECT_TRUE(machine->getMCSubtargetInfo()->checkFeatures("+avx2")) << cpu;
    EXPECT_FALSE(machine->getMCSubtargetInfo()->checkFeatures("+sse4a")) << cpu;
  }
}

TEST(ImpliedFeatures, ListsWhatAnotherCpuHas) {
  const Target arm = ResolveTarget("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72");
  EXPECT_FALSE(ImpliedFeatures(arm).empty());
}

TEST(LlvmCpuName, IsWhatLlvmCallsThisCpu) { EXPECT_EQ(ProbeEnvironment().llvm_cpu, HostTarget().cpu); }

TEST(LlvmCpuName, IsANameThatLlvmKnows) {
  Fingerprint fingerprint;
  std::set<std::string> names;
  for (const auto& [vendor, families] : {std::pair("AuthenticAMD", std::vector{"23", "24", "25", "26"}),
                                         std::pair("GenuineIntel", std::vector{"6", "15"})}) {
    fingerprint.vendor = vendor;
    for (const char* family : families) {
      fingerprint.family = family;
      for (int model = 0; model < 256; ++model) {
        fingerprint.model = std::to_string(model);
        names.insert(LlvmCpuName("x86_64", fingerprint));
      }
    }
  }
  EXPECT_GT(names.size(), 25U);
  for (const std::string& name : names) EXPECT_NO_THROW(ResolveTarget("llvm -mtriple=x86_64-linux-gnu -mcpu=" + name));
}

TEST(LlvmCpuName, OfAnArmCoreIsLlvmsOwn) {
  std::set<std::string> names;
  for (int part = 0xd00; part < 0xd50; ++part) {
    Fingerprint fingerprint;
    fingerprint.vendor = "0x41";
    fingerprint.model = fmt::format("{:#x}", part);
    const std::string name = LlvmCpuName("aarch64", fingerprint);
    names.insert(name);
    if (name == "generic") continue;
    EXPECT_NO_THROW(ResolveTarget("llvm -mtriple=aarch64-linux-gnu -mcpu=" + name));
    EXPECT_EQ(llvm::sys::detail::getHostCPUNameForARM("CPU implementer : 0x41\nCPU part : " + fingerprint.model), name);
  }
  EXPECT_GT(names.size(), 15U);
}

TEST(LlvmCpuName, OfA32BitArmCoreIsLlvmsOwn) {
  std::set<std::string> names;
  for (int part = 0xc00; part < 0xc10; ++part) {
    Fingerprint fingerprint;
    fingerprint.vendor = "0x41";
    fingerprint.model = fmt::format("{:#x}", part);
    const std::string name = LlvmCpuName("armv7", fingerprint);
    names.insert(name);
    if (name == "generic") continue;
    EXPECT_NO_THROW(ResolveTarget("llvm -mtriple=armv7-linux-gnueabihf -mcpu=" + name));
    EXPECT_EQ(llvm::sys::detail::getHostCPUNameForARM("CPU implementer : 0x41\nCPU part : " + fingerprint.model), name);
  }
  EXPECT_GE(names.size(), 7U);
}

// A feature that a runner does not list counts as missing, so a runner must be able to list every feature that a target
// implies.
TEST(CpuFeatureTable, DescriptionsOfMachinesListWhatTargetsSpellOut) {
  for (const CpuFeature& feature : CpuFeatureTable()) {
    EXPECT_FALSE(feature.in_targets && feature.linux_name.empty()) << feature.name;
  }
}

TEST(CpuFeatureTable, NamesFeaturesThatLlvmKnows) {
  const std::map<std::string_view, const char*> triples = {{"x86_64", "x86_64-pc-linux-gnu"},
                                                           {"aarch64", "aarch64-unknown-linux-gnu"},
                                                           {"arm", "armv7-unknown-linux-gnueabihf"},
                                                           {"riscv64", "riscv64-unknown-linux-gnu"}};
  for (const CpuFeature& feature : CpuFeatureTable()) {
    const auto machine = MakeTargetMachine({triples.at(feature.architecture), "", {}, 0});
    const auto known = machine->getMCSubtargetInfo()->getAllProcessorFeatures();
    EXPECT_TRUE(std::any_of(known.begin(), known.end(), [&](const auto& row) { return feature.name == row.Key; }))
        << feature.architecture << " " << feature.name;
  }
}

// LLVM reads the same bits. It knows nothing of a system that lends tile registers to no process.
TEST(CpuFeatureTable, IsReadFromThisCpuAsLlvmReadsIt) {
  const auto host = llvm::sys::getHostCPUFeatures();
  int compared = 0;
  for (const CpuFeature& feature : CpuFeatureTable()) {
    const auto found = host.find(llvm::StringRef(feature.name));
    const bool of_host = HostArchitecture().starts_with(feature.architecture);
    if (!of_host || found == host.end() || feature.registers == FeatureRegisters::kTiles) continue;
    ++compared;
    EXPECT_EQ(HostHasFeature(feature.name), found->second) << feature.name;
  }
#if defined(__x86_64__)
  EXPECT_GT(compared, 25);
#endif
}

}  // namespace
}  // namespace hone

#include "compiler/codegen/target/machine_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/codegen/target/host.h"
#include "core/error.h"
#include "rpc_runner/machine/environment.h"

namespace hone {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Environment Pi4() {
  Environment machine;
  machine.label = "pi4";
  machine.cpu_model = "Cortex-A72";
  machine.cpu_id = "0x41-8-0xd08-3";
  machine.arch = "aarch64";
  machine.llvm_cpu = "cortex-a72";
  machine.features = "neon";
  machine.cores = 4;
  return machine;
}

TEST(TargetOf, AnEqualMachineIsTheHost) {
  const Environment here = ProbeEnvironment();
  Target host = HostTarget();
  host.num_cores = here.cores;
  EXPECT_EQ(TargetOf(here), host);
  EXPECT_EQ(WhyNotOn(here, host, here.cores), "");
}

TEST(TargetOf, IsWhatTheMachineTells) {
  EXPECT_EQ(TargetOf(Pi4()).ToText(), "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72 -num-cores=4");
}

TEST(TargetOf, OfA32BitSystemIsArmv7) {
  Environment machine = Pi4();
  machine.arch = "armv7";
  machine.features = "d32 hwdiv-arm neon vfp3 vfp4";
  EXPECT_EQ(TargetOf(machine).ToText(), "llvm -mtriple=armv7-unknown-linux-gnueabihf -mcpu=cortex-a72 -num-cores=4");
  EXPECT_EQ(WhyNotOn(machine, TargetOf(machine), 4), "");
  EXPECT_THAT(WhyNotOn(machine, TargetOf(Pi4()), 1), HasSubstr("it runs armv7 code"));
}

TEST(TargetOf, SaysWhatTheCpuHasMoreOrLessThanItsName) {
  Environment machine;
  machine.arch = "x86_64";
  machine.llvm_cpu = "x86-64-v3";
  machine.features = "avx avx2 avx512f f16c sse4.2";  // without fma
  const Target target = TargetOf(machine);
  EXPECT_THAT(target.features, ::testing::ElementsAre("+avx512f", "-fma"));
  EXPECT_EQ(WhyNotOn(machine, target, 1), "");
  machine.arch = machine.llvm_cpu = "";
  machine.cpu_id = "GenuineIntel-6-143-8";  // as an older runner reports it
  EXPECT_EQ(TargetOf(machine).cpu, "sapphirerapids");
  machine.cpu_id = "";
  EXPECT_THROW(TargetOf(machine), Error);
}

TEST(WhyNotOn, NamesBothSides) {
  EXPECT_EQ(WhyNotOn(Pi4(), TargetOf(Pi4()), 4), "");
  EXPECT_EQ(WhyNotOn(Pi4(), TargetOf(Pi4()), 5), "5 threads were asked for, it has 4 cores");
  const Target x86 = Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=znver3");
  EXPECT_THAT(WhyNotOn(Pi4(), x86, 1), AllOf(HasSubstr("znver3"), HasSubstr("it runs aarch64 code")));
  Environment old;
  old.host = "old";
  old.arch = "x86_64";
  old.features = "avx sse4.2";
  old.cores = 2;
  EXPECT_THAT(WhyNotOn(old, x86, 1), AllOf(HasSubstr("znver3"), HasSubstr("needs avx2, which it lacks")));
}

TEST(WhyNotOn, WhatAMachineDoesNotTellIsNoReason) {
  EXPECT_EQ(WhyNotOn(Environment(), Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=znver3"), 64), "");
}

}  // namespace
}  // namespace hone

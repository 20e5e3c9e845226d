#include "core/machine/llvm_cpu_name.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

std::string Name(const std::string& cpu_id, const std::string& features = "") {
  Environment environment;
  environment.cpu_id = cpu_id;
  environment.features = features;
  return LlvmCpuOf(environment);
}

TEST(LlvmCpuName, KnowsTheModels) {
  EXPECT_EQ(Name("AuthenticAMD-23-1-2"), "znver1");
  EXPECT_EQ(Name("AuthenticAMD-23-49-0"), "znver2");
  EXPECT_EQ(Name("AuthenticAMD-25-1-1"), "znver3");
  EXPECT_EQ(Name("AuthenticAMD-25-17-1"), "znver4");
  EXPECT_EQ(Name("AuthenticAMD-26-2-1"), "znver5");
  EXPECT_EQ(Name("GenuineIntel-6-63-2"), "haswell");
  EXPECT_EQ(Name("GenuineIntel-6-106-6"), "icelake-server");
  EXPECT_EQ(Name("GenuineIntel-6-143-8"), "sapphirerapids");
  EXPECT_EQ(Name("0x41-8-0xd08-3"), "cortex-a72");
  EXPECT_EQ(Name("0x41-8-0xd0c-1"), "neoverse-n1");
  EXPECT_EQ(Name("0x41-7-0xc07-5"), "cortex-a7");
}

TEST(LlvmCpuName, TellsGenerationsOfOneModelNumberApart) {
  EXPECT_EQ(Name("GenuineIntel-6-85-4", "avx512f"), "skylake-avx512");
  EXPECT_EQ(Name("GenuineIntel-6-85-7", "avx512f avx512vnni"), "cascadelake");
  EXPECT_EQ(Name("GenuineIntel-6-85-11", "avx512bf16 avx512f avx512vnni"), "cooperlake");
}

TEST(LlvmCpuName, TileRegistersTellANewCoreUnderAnOldNumber) {
  EXPECT_EQ(Name("GenuineIntel-6-167-1"), "rocketlake");
  EXPECT_EQ(Name("GenuineIntel-6-167-1", "amx-tile avx512f"), "sapphirerapids");
  EXPECT_EQ(Name("GenuineIntel-6-173-1", "amx-tile avx512f"), "graniterapids");
}

TEST(LlvmCpuName, FallsBackToWhatTheFeaturesAllow) {
  const std::string v2 = "popcnt sse4.2 ssse3", v3 = v2 + " avx2 bmi bmi2 f16c fma lzcnt movbe";
  EXPECT_EQ(Name("HygonGenuine-24-0-1"), "x86-64");
  EXPECT_EQ(Name("HygonGenuine-24-0-1", v2), "x86-64-v2");
  EXPECT_EQ(Name("AuthenticAMD-99-0-1", v3), "x86-64-v3");
  EXPECT_EQ(Name("GenuineIntel-19-1-1", v3 + " avx512bw avx512cd avx512dq avx512f avx512vl"), "x86-64-v4");
  EXPECT_EQ(Name("0x99-8-0x123-0"), "generic");
}

TEST(LlvmCpuName, OfAnotherArchitectureIsItsOwn) {
  EXPECT_EQ(LlvmCpuName("riscv64", {}), "generic-rv64");
  EXPECT_EQ(LlvmCpuName("armv7", {}), "generic");
  EXPECT_EQ(LlvmCpuName("vax", {}), "");
  EXPECT_EQ(Name(""), "");
  EXPECT_EQ(Name("0x710-0x1-0x2-"), "");
}

TEST(LlvmCpuName, GenericNamesHaveNoMicroarchitecture) {
  for (const char* name : {"", "generic", "generic-rv64", "x86-64", "x86-64-v3"}) EXPECT_TRUE(IsGenericCpu(name));
  for (const char* name : {"haswell", "cortex-a72", "znver5"}) EXPECT_FALSE(IsGenericCpu(name));
}

TEST(LlvmCpuName, WhatTheRunnerSaidCounts) {
  Environment environment;
  environment.cpu_id = "AuthenticAMD-25-1-1";
  environment.llvm_cpu = "znver9";
  EXPECT_EQ(LlvmCpuOf(environment), "znver9");
}

}  // namespace
}  // namespace hone

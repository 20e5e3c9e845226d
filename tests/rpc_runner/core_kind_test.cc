#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "rpc_runner/machine/cpus.h"

namespace hone {
namespace {

constexpr std::string_view kBigLittle =
    "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n\n"
    "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n\n"
    "processor\t: 2\nCPU implementer\t: 0x99\nCPU part\t: 0x001\n\nHardware\t: A board\n";

std::string NoHybrid() { return testing::TempDir() + "no_such_folder"; }

TEST(CoresByKind, GroupsTheAllowedOnes) {
  using Groups = std::map<std::string, std::vector<int>>;
  EXPECT_EQ(CoresByKind(kBigLittle, {0, 1, 5}, NoHybrid()),
            (Groups{{"", {5}}, {"cortex-a53", {0}}, {"cortex-a72", {1}}}));
  EXPECT_EQ(CoresByKind(kBigLittle, {2}, NoHybrid()), (Groups{{"0x99/0x001", {2}}}));
  EXPECT_EQ(CoresByKind("processor : 0\nvendor_id : GenuineIntel\n", {0, 1}, NoHybrid()), (Groups{{"", {0, 1}}}));
  EXPECT_EQ(CoresByKind("", {}, NoHybrid()), Groups());
}

TEST(CoresByKind, ReadsTheListsOfAHybrid) {
  const std::filesystem::path devices = testing::TempDir() + "hone_core_kind_" + std::to_string(getpid());
  for (const auto& [kind, list] : {std::pair("cpu_atom", "4-7\n"), std::pair("cpu_core", "0-3\n")}) {
    std::filesystem::create_directories(devices / kind);
    std::ofstream(devices / kind / "cpus") << list;
  }
  EXPECT_EQ(CoresByKind("", {0, 3, 4}, devices),
            (std::map<std::string, std::vector<int>>{{"atom", {4}}, {"core", {0, 3}}}));
  std::filesystem::remove_all(devices);
}

TEST(CpuInfoOf, GivesThePartOfACpu) {
  EXPECT_NE(CpuInfoOf(kBigLittle, 1).find("0xd08"), std::string_view::npos);
  EXPECT_EQ(CpuInfoOf(kBigLittle, 1).find("0xd03"), std::string_view::npos);
  EXPECT_EQ(CpuInfoOf(kBigLittle, 9), kBigLittle);
}

}  // namespace
}  // namespace hone

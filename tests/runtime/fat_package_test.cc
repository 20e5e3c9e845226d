#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "core/package/package_format.h"
#include "runtime/host_cpu.h"
#include "runtime/load/package_parts.h"
#include "runtime/package.h"
#include "tests/runtime/test_package.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using testing::PackTestPackage;
using testing::ReadTestKernels;
using testing::TestPackage;
using testing::TestPlan;

std::string Fat(const std::vector<std::string>& packages) {
  FatPackageHeader header{};
  std::memcpy(header.magic, kFatPackageMagic, sizeof(header.magic));
  header.version = kFatPackageVersion;
  header.count = static_cast<uint32_t>(packages.size());
  std::string file(reinterpret_cast<const char*>(&header), sizeof(header));
  file.resize(sizeof(header) + packages.size() * sizeof(FatPackageEntry));
  for (size_t i = 0; i < packages.size(); ++i) {
    file.resize((file.size() + kPackageAlign - 1) / kPackageAlign * kPackageAlign);
    const FatPackageEntry entry{file.size(), packages[i].size()};
    std::memcpy(file.data() + sizeof(header) + i * sizeof(entry), &entry, sizeof(entry));
    file += packages[i];
  }
  return file;
}

// A package for a CPU of another architecture.
std::string ForeignPackage() {
  Plan plan = TestPlan();
  plan.model = "foreign";
  plan.target.triple = HostArchitecture() == "riscv64" ? "aarch64-linux-gnu" : "riscv64-linux-gnu";
  return PackTestPackage(plan, ReadTestKernels(), std::string(64, '\0'));
}

std::string PackageThatNeeds(const std::string& model, const std::vector<std::string>& features) {
  Plan plan = TestPlan();
  plan.model = model;
  return PackTestPackage(plan, ReadTestKernels(), std::string(64, '\0'), features);
}

Error ErrorOf(const std::string& bytes) {
  try {
    Package::FromBytes(bytes, "model.hone");
  } catch (const Error& error) {
    return error;
  }
  return Error(ExitCode::kDone, "loaded");
}

TEST(FatPackage, TheFirstThatThisMachineRunsIsLoaded) {
  const std::string file = Fat({PackageThatNeeds("first", {"no-such-feature"}), ForeignPackage(),
                                PackageThatNeeds("third", {}), PackageThatNeeds("fourth", {})});
  EXPECT_EQ(Package::FromBytes(file, "model.hone")->plan().model, "third");
  const std::string path = ::testing::TempDir() + std::to_string(getpid()) + "_fat.hone";
  std::ofstream(path, std::ios::binary) << file;
  EXPECT_EQ(Package::Load(path)->plan().model, "third");
  EXPECT_EQ(Package::Inspect(path)->plan().model, "first");
  EXPECT_EQ(
      Package::Inspect(path, [](const Target& target,
                                const std::vector<std::string>&) { return target.triple != TestPlan().target.triple; })
          ->plan()
          .model,
      "foreign");
  const auto all = Package::InspectAll(path);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[3]->plan().model, "fourth");
  EXPECT_NO_THROW(all[3]->VerifyParams());
  std::filesystem::remove(path);
}

TEST(FatPackage, WhereNoneRunsEachSaysWhy) {
  const Error error = ErrorOf(Fat({PackageThatNeeds("first", {"no-such-feature"}), ForeignPackage()}));
  EXPECT_EQ(error.code(), ExitCode::kBadConfig);
  EXPECT_THAT(error.what(), HasSubstr("which needs no-such-feature; this CPU lacks it; for "));
  EXPECT_THAT(error.what(), HasSubstr("this machine is " + std::string(HostArchitecture())));
}

TEST(FatPackage, CutAnywhereIsBadData) {
  const std::string file = Fat({ForeignPackage(), TestPackage()});
  for (size_t size = 0; size < file.size(); size += 61) {
    ASSERT_EQ(ErrorOf(file.substr(0, size)).code(), ExitCode::kBadData) << size;
  }
}

// A flipped bit in an entry makes other bytes the package's.
TEST(FatPackage, AFlippedBitInTheHeaderIsRefused) {
  const std::string file = Fat({TestPackage(), PackageThatNeeds("second", {"no-such-feature"})});
  ASSERT_EQ(ErrorOf(file).code(), ExitCode::kDone);
  for (size_t bit = 0; bit < 8 * (sizeof(FatPackageHeader) + sizeof(FatPackageEntry)); ++bit) {
    std::string damaged = file;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const Error error = ErrorOf(damaged);
    // A count of one leaves a valid first package. A size that grew into the padding leaves one whose bytes after the
    // last section are ignored.
    if (error.code() == ExitCode::kDone) continue;
    ASSERT_EQ(error.code(), ExitCode::kBadData) << bit << ": " << error.what();
  }
}

TEST(FatPackage, OverlapsOddPlacesAndOtherVersionsAreNamed) {
  const std::string file = Fat({TestPackage(), TestPackage()});
  const auto with = [&](size_t place, uint64_t value, size_t size) {
    std::string damaged = file;
    std::memcpy(damaged.data() + place, &value, size);
    return std::string(ErrorOf(damaged).what());
  };
  constexpr size_t kVersion = 8, kCount = 12, kSecond = sizeof(FatPackageHeader) + sizeof(FatPackageEntry);
  EXPECT_THAT(with(kVersion, 2, 4), HasSubstr("format 2 of packages for several targets; this hone reads format 1"));
  EXPECT_THAT(with(kCount, 0, 4), HasSubstr("0 packages where 1 to 64 belong"));
  EXPECT_THAT(with(kCount, 65, 4), HasSubstr("65 packages where 1 to 64 belong"));
  EXPECT_THAT(with(kSecond, 4096, 8), HasSubstr("package 2 overlaps what is before it"));
  EXPECT_THAT(with(kSecond, 4097, 8), HasSubstr("package 2 is not page-aligned"));
  EXPECT_THAT(with(kSecond, uint64_t{1} << 62, 8), HasSubstr("package 2 of 2 does not end in the file"));
  EXPECT_THAT(with(kSecond + 8, ~uint64_t{0}, 8), HasSubstr("package 2 of 2 does not end in the file"));
}

TEST(FatPackage, WhatIsInsideIsChecked) {
  std::string file = Fat({TestPackage()});
  // A fat package inside another is not a package.
  EXPECT_THAT(ErrorOf(Fat({file})).what(), HasSubstr("not a hone package"));
  const size_t lib = file.find(
      "\x7f"
      "ELF");
  ASSERT_NE(lib, std::string::npos);
  file[lib + 100] = static_cast<char>(file[lib + 100] ^ 1);
  EXPECT_THAT(ErrorOf(file).what(), HasSubstr("lib section damaged"));
}

}  // namespace
}  // namespace hone

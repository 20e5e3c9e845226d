#include "runtime/package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "core/package/package_format.h"
#include "tests/runtime/test_package.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using testing::PackTestPackage;
using testing::PlaceOf;
using testing::ReadTestKernels;
using testing::TestPackage;
using testing::TestPlan;

// The error that loading the bytes ends with.
Error ErrorOf(const std::string& bytes) {
  try {
    Package::FromBytes(bytes, "model.hone");
  } catch (const Error& error) {
    return error;
  }
  return Error(ExitCode::kDone, "loaded");
}

std::string WriteTemporary(const std::string& name, const std::string& bytes) {
  const std::string path = ::testing::TempDir() + std::to_string(getpid()) + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(Package, LoadsFromAFile) {
  const std::string path = WriteTemporary("hone_package_test.hone", TestPackage());
  const auto package = Package::Load(path);
  EXPECT_EQ(package->plan(), TestPlan());
  EXPECT_EQ(package->lib(), ReadTestKernels());
  EXPECT_EQ(package->params().size(), 64U);
  EXPECT_NO_THROW(package->VerifyParams());
  std::filesystem::remove(path);
}

TEST(Package, AMissingFileIsNoInput) {
  try {
    Package::Load("/no/such/model.hone");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kNoInput);
  }
}

TEST(Package, CutAnywhereIsBadData) {
  const std::string bytes = TestPackage();
  const auto params = PlaceOf(bytes, kSectionParams);
  ASSERT_EQ(params.offset + params.size, bytes.size());
  for (size_t size = 0; size < bytes.size(); size += 64) {
    ASSERT_EQ(ErrorOf(bytes.substr(0, size)).code(), ExitCode::kBadData) << size;
  }
}

TEST(Package, AFlippedBitInAnySectionButParamsIsBadData) {
  const std::string bytes = TestPackage();
  std::vector<size_t> places;
  for (size_t i = 0; i < sizeof(PackageHeader); ++i) places.push_back(i);
  for (const int section : {kSectionManifest, kSectionGraph, kSectionLib}) {
    const auto [offset, size] = PlaceOf(bytes, section);
    for (size_t i = 0; i < size; i += 61) places.push_back(offset + i);
  }
  for (const size_t place : places) {
    std::string damaged = bytes;
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << (place % 8)));
    ASSERT_EQ(ErrorOf(damaged).code(), ExitCode::kBadData) << place;
  }
}

TEST(Package, DamagedParamsAreFoundWhenAskedFor) {
  std::string bytes = TestPackage();
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  const auto package = Package::FromBytes(bytes, "model.hone");
  EXPECT_THROW(package->VerifyParams(), Error);
}

TEST(Package, ANewerFormatIsNamed) {
  std::string bytes = TestPackage();
  bytes[8] = 3;
  EXPECT_THAT(ErrorOf(bytes).what(), HasSubstr("format 3"));
}

TEST(Package, AnOlderFormatIsToBeBuiltAgain) {
  std::string bytes = TestPackage();
  bytes[8] = 1;
  EXPECT_THAT(ErrorOf(bytes).what(),
              HasSubstr("format 1; this hone reads format 2; build the model again: hone build"));
}

TEST(Package, AGraphThatItsKernelsWereNotCompiledForIsBadData) {
  Plan plan = TestPlan();
  plan.kernels[0].stages[0].extent *= 2;
  const Error error = ErrorOf(PackTestPackage(plan, ReadTestKernels(), std::string(64, '\0')));
  EXPECT_EQ(error.code(), ExitCode::kBadData);
  EXPECT_THAT(error.what(), HasSubstr("graph: kernel 0"));
}

TEST(Package, TheModelsHashMayBeMissingButNotDamaged) {
  const auto pack = [](const Json& hash) {
    return PackTestPackage(TestPlan(), ReadTestKernels(), std::string(64, '\0'), {}, hash);
  };
  EXPECT_FALSE(Package::FromBytes(pack(nullptr), "old")->manifest().contains("model_sha256"));
  const std::string right(64, 'c');
  EXPECT_EQ(Package::FromBytes(pack(right), "new")->manifest()["model_sha256"], right);
  for (const Json& wrong : {Json(7), Json(""), Json(std::string(63, 'c')), Json(std::string(64, 'C')),
                            Json(std::string(63, 'c') + "g"), Json::object()}) {
    const Error error = ErrorOf(pack(wrong));
    EXPECT_EQ(error.code(), ExitCode::kBadData) << wrong;
    EXPECT_THAT(error.what(), HasSubstr("model_sha256 is not 64 hex digits"));
  }
}

TEST(Package, AMissingFeatureIsBadConfigAndNamed) {
  const Error error = ErrorOf(PackTestPackage(TestPlan(), ReadTestKernels(), std::string(64, '\0'), {"avx9000"}));
  EXPECT_EQ(error.code(), ExitCode::kBadConfig);
  EXPECT_THAT(error.what(), HasSubstr("needs avx9000; this CPU lacks it; build with --target host"));
}

TEST(Package, AnotherArchitectureIsBadConfigButMayBeInspected) {
  Plan plan = TestPlan();
  plan.target.triple = "mips64-linux-gnu";
  const std::string bytes = PackTestPackage(plan, "not for this machine", std::string(64, '\0'));
  EXPECT_EQ(ErrorOf(bytes).code(), ExitCode::kBadConfig);
  const std::string path = WriteTemporary("hone_foreign.hone", bytes);
  EXPECT_EQ(Package::Inspect(path)->lib(), "not for this machine");
  std::filesystem::remove(path);
}

TEST(Package, ASymbolThatTheLibraryLacksIsBadData) {
  Plan plan = TestPlan();
  plan.kernels[0].stages[0].symbol = "missing_kernel";
  const Error error = ErrorOf(PackTestPackage(plan, ReadTestKernels(), std::string(64, '\0')));
  EXPECT_EQ(error.code(), ExitCode::kBadData);
  EXPECT_THAT(error.what(), HasSubstr("missing_kernel"));
}

TEST(Package, AGraphThatCannotBeReadIsNamedWithItsFile) {
  Plan plan = TestPlan();
  plan.buffers[0].shape = {-1};
  const Error error = ErrorOf(PackTestPackage(plan, ReadTestKernels(), std::string(64, '\0')));
  EXPECT_EQ(error.code(), ExitCode::kBadData);
  EXPECT_THAT(error.what(), ::testing::StartsWith("model.hone: graph: "));
}

TEST(Package, AHostileGraphWithRightHashesIsBadData) {
  Plan plan = TestPlan();
  plan.buffers[3].offset_bytes = int64_t{1} << 40;
  EXPECT_EQ(ErrorOf(PackTestPackage(plan, ReadTestKernels(), std::string(64, '\0'))).code(), ExitCode::kBadData);
}

}  // namespace
}  // namespace hone

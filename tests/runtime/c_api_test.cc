#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "runtime/hone.h"
#include "tests/runtime/test_package.h"

namespace {

using ::testing::HasSubstr;

class CApiTest : public ::testing::Test {
 protected:
  CApiTest() : path_(::testing::TempDir() + "hone_c_api_test_" + std::to_string(getpid()) + ".hone") {
    std::ofstream(path_, std::ios::binary) << hone::testing::TestPackage();
    EXPECT_EQ(hone_package_load(path_.c_str(), &package_), HONE_OK) << hone_error_text();
    EXPECT_EQ(hone_session_create(package_, 2, &session_), HONE_OK) << hone_error_text();
  }
  ~CApiTest() override {
    hone_session_free(session_);
    hone_package_free(package_);
    std::filesystem::remove(path_);
  }
  std::string path_;
  hone_package* package_ = nullptr;
  hone_session* session_ = nullptr;
};

TEST_F(CApiTest, DescribesInputsAndOutputs) {
  EXPECT_EQ(hone_api_version(), HONE_API_VERSION);
  EXPECT_EQ(hone_package_inputs(package_), 1);
  EXPECT_EQ(hone_package_outputs(package_), 1);
  hone_tensor_info info;
  ASSERT_EQ(hone_package_input_info(package_, 0, &info), HONE_OK);
  EXPECT_STREQ(info.name, "x");
  EXPECT_EQ(info.dtype, HONE_FLOAT32);
  ASSERT_EQ(info.rank, 2);
  EXPECT_EQ(info.shape[1], hone::testing::kTestElements);
  EXPECT_EQ(info.size_bytes, 4U * hone::testing::kTestElements);
}

TEST_F(CApiTest, RunsWithUnalignedUserMemory) {
  std::vector<float> x(hone::testing::kTestElements, 0.25F), y(x.size());
  std::vector<char> memory(x.size() * 4 + 1);
  std::copy_n(reinterpret_cast<const char*>(x.data()), x.size() * 4, memory.data() + 1);
  ASSERT_EQ(hone_session_set_input(session_, 0, memory.data() + 1, x.size() * 4), HONE_OK);
  ASSERT_EQ(hone_session_run(session_), HONE_OK);
  ASSERT_EQ(hone_session_get_output(session_, 0, y.data(), y.size() * 4), HONE_OK);
  EXPECT_EQ(y, hone::testing::ExpectedOutput(x));
}

TEST_F(CApiTest, WrongSizesAndIndicesAreUsageErrorsWithText) {
  float value = 0;
  EXPECT_EQ(hone_session_set_input(session_, 0, &value, 4), HONE_USAGE);
  EXPECT_THAT(hone_error_text(), HasSubstr("4 bytes were given; 16384 would be right"));
  EXPECT_EQ(hone_session_set_input(session_, 1, &value, 4), HONE_USAGE);
  EXPECT_EQ(hone_session_get_output(session_, -1, &value, 4), HONE_USAGE);
  hone_session* none = nullptr;
  EXPECT_EQ(hone_session_create(package_, -2, &none), HONE_USAGE);
}

TEST_F(CApiTest, NullsAreUsageErrorsNotCrashes) {
  EXPECT_EQ(hone_package_load(nullptr, nullptr), HONE_USAGE);
  EXPECT_EQ(hone_session_create(nullptr, 1, nullptr), HONE_USAGE);
  EXPECT_EQ(hone_session_run(nullptr), HONE_USAGE);
  EXPECT_EQ(hone_package_inputs(nullptr), 0);
  hone_package_free(nullptr);
  hone_session_free(nullptr);
}

TEST_F(CApiTest, FailuresHaveTheirStatus) {
  hone_package* none = nullptr;
  EXPECT_EQ(hone_package_load("/no/such/file", &none), HONE_NO_INPUT);
  EXPECT_EQ(none, nullptr);
  const std::string damaged = path_ + ".damaged";
  std::ofstream(damaged, std::ios::binary) << "damaged";
  EXPECT_EQ(hone_package_load(damaged.c_str(), &none), HONE_BAD_DATA);
  std::filesystem::remove(damaged);
}

TEST_F(CApiTest, ErrorTextIsTheThreadsOwn) {
  hone_package* none = nullptr;
  EXPECT_EQ(hone_package_load("/no/such/file", &none), HONE_NO_INPUT);
  std::string elsewhere = "not read";
  std::thread([&] { elsewhere = hone_error_text(); }).join();
  EXPECT_EQ(elsewhere, "");
}

}  // namespace

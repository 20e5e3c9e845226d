#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/hone.h"
#include "tests/runtime/c_api_fixture.h"
#include "tests/runtime/test_package.h"

namespace {

using hone::testing::CApiTest;
using hone::testing::Floats;
using hone::testing::kBytes;
using hone::testing::Values;
using ::testing::HasSubstr;

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

TEST(CApiCountedTest, TellsWhatTheLastRunGave) {
  const std::string bytes = hone::testing::CountedPackage();
  std::vector<char> memory(bytes.size() + 64);
  char* const at = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) % 64;
  std::memcpy(at, bytes.data(), bytes.size());
  hone_package* package = nullptr;
  hone_session* session = nullptr;
  ASSERT_EQ(hone_package_load_memory(at, bytes.size(), &package), HONE_OK) << hone_error_text();
  ASSERT_EQ(hone_session_create(package, 1, &session), HONE_OK) << hone_error_text();
  EXPECT_EQ(hone_package_outputs(package), 1);
  EXPECT_EQ(hone_package_output_is_counted(package, 0), 1);
  for (const int32_t none : {-1, 1}) EXPECT_EQ(hone_package_output_is_counted(package, none), 0);
  hone_tensor_info info;
  ASSERT_EQ(hone_session_output_info(session, 0, &info), HONE_OK);
  EXPECT_EQ(info.shape[1], 64);
  std::vector<float> x(hone::testing::kTestElements, 2), y(x.size());
  ASSERT_EQ(hone_session_set_input(session, 0, x.data(), x.size() * 4), HONE_OK);
  ASSERT_EQ(hone_session_run(session), HONE_OK);
  ASSERT_EQ(hone_session_output_info(session, 0, &info), HONE_OK);
  EXPECT_STREQ(info.name, "y");
  EXPECT_EQ(info.shape[0], 64);
  EXPECT_EQ(info.shape[1], 2);
  EXPECT_EQ(info.size_bytes, 64U * 2 * 4);
  EXPECT_EQ(hone_session_get_output(session, 0, y.data(), y.size() * 4), HONE_USAGE);
  EXPECT_THAT(hone_error_text(), HasSubstr("512 would be right"));
  EXPECT_EQ(hone_session_get_output(session, 0, y.data(), info.size_bytes), HONE_OK);
  ASSERT_EQ(hone_package_output_info(package, 0, &info), HONE_OK);
  EXPECT_EQ(info.shape[1], 64);
  EXPECT_EQ(hone_session_output_info(session, 1, &info), HONE_USAGE);
  EXPECT_EQ(hone_session_output_info(nullptr, 0, &info), HONE_USAGE);
  EXPECT_EQ(hone_session_output_info(session, 0, nullptr), HONE_USAGE);
  hone_session_free(session);
  hone_package_free(package);
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

TEST_F(CApiTest, ReplacesParametersOfPackagesThatTellThemAlone) {
  hone_package* replaced = package_;
  EXPECT_EQ(hone_package_with_params(package_, nullptr, 0, &replaced), HONE_BAD_CONFIG);
  EXPECT_THAT(hone_error_text(), HasSubstr("does not tell which parameters can be replaced"));
  EXPECT_EQ(replaced, nullptr);
  EXPECT_EQ(hone_package_with_params(package_, nullptr, 1, &replaced), HONE_USAGE);
  EXPECT_EQ(hone_package_with_params(package_, nullptr, -1, &replaced), HONE_USAGE);
  EXPECT_EQ(hone_package_with_params(nullptr, nullptr, 0, &replaced), HONE_USAGE);
  EXPECT_EQ(hone_package_with_params(package_, nullptr, 0, nullptr), HONE_USAGE);
  const hone_param unnamed{nullptr, "", 0}, empty{"w", nullptr, 4};
  EXPECT_EQ(hone_package_with_params(package_, &unnamed, 1, &replaced), HONE_USAGE);
  EXPECT_EQ(hone_package_with_params(package_, &empty, 1, &replaced), HONE_USAGE);
  hone_tensor_info info;
  EXPECT_EQ(hone_package_param_info(package_, "w", &info), HONE_BAD_CONFIG);
  EXPECT_EQ(hone_package_param_info(nullptr, "w", &info), HONE_USAGE);
  EXPECT_EQ(hone_package_param_info(package_, nullptr, &info), HONE_USAGE);
  EXPECT_EQ(hone_package_param_info(package_, "w", nullptr), HONE_USAGE);
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

TEST_F(CApiTest, FindsTensorsByName) {
  EXPECT_EQ(hone_package_input_index(package_, "x"), 0);
  EXPECT_EQ(hone_package_output_index(package_, "y"), 0);
  EXPECT_EQ(hone_package_input_index(package_, "y"), -1);
  EXPECT_EQ(hone_package_output_index(package_, nullptr), -1);
}

// Threads share a package; each has a session of its own.
TEST_F(CApiTest, SessionsRunOnThreadsAtOnce) {
  const auto run = [&](int thread) {
    hone_session* session = nullptr;
    ASSERT_EQ(hone_session_create(package_, 1, &session), HONE_OK);
    for (int i = 0; i < 200; ++i) {
      const Floats x = Values(static_cast<float>(thread + i));
      Floats y(x.size());
      ASSERT_EQ(hone_session_bind_input(session, 0, x.data(), kBytes), HONE_OK);
      ASSERT_EQ(hone_session_bind_output(session, 0, y.data(), kBytes), HONE_OK);
      ASSERT_EQ(hone_session_run(session), HONE_OK);
      ASSERT_EQ(y, hone::testing::ExpectedOutput(x));
    }
    hone_session_free(session);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(run, 100 * i);
  for (std::thread& thread : threads) thread.join();
}

TEST_F(CApiTest, KnowsOptionsOfOtherVersions) {
  struct {
    hone_session_options known{};
    int64_t newer = 0;
  } options;
  options.known.struct_bytes = sizeof(options);
  options.known.threads = 1;
  hone_session* session = nullptr;
  ASSERT_EQ(hone_session_create_with(package_, &options.known, &session), HONE_OK) << hone_error_text();
  hone_session_free(session);
  options.newer = 1;
  EXPECT_EQ(hone_session_create_with(package_, &options.known, &session), HONE_USAGE);
  EXPECT_THAT(hone_error_text(), HasSubstr("newer members must be 0"));
  options.known.struct_bytes = 0;
  EXPECT_EQ(hone_session_create_with(package_, &options.known, &session), HONE_USAGE);
  ASSERT_EQ(hone_session_create_with(package_, nullptr, &session), HONE_OK);
  hone_session_free(session);
}

TEST_F(CApiTest, TellsEachCallsTime) {
  std::vector<hone_profiled_call> calls;
  const auto keep = [](void* user, const hone_profiled_call* call) {
    static_cast<std::vector<hone_profiled_call>*>(user)->push_back(*call);
  };
  ASSERT_EQ(hone_session_set_profile(session_, keep, &calls), HONE_OK);
  ASSERT_EQ(hone_session_run(session_), HONE_OK);
  const hone::Plan plan = hone::testing::TestPlan();
  ASSERT_EQ(calls.size(), plan.calls.size());
  for (size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(calls[i].index, static_cast<int32_t>(i));
    EXPECT_EQ(calls[i].calls, static_cast<int32_t>(calls.size()));
    EXPECT_EQ(calls[i].op, plan.calls[i].op);
    EXPECT_EQ(calls[i].node, plan.calls[i].nodes.empty() ? "" : plan.calls[i].nodes.front());
    EXPECT_GT(calls[i].time_ns, 0);
  }
  ASSERT_EQ(hone_session_set_profile(session_, nullptr, nullptr), HONE_OK);
  ASSERT_EQ(hone_session_run(session_), HONE_OK);
  EXPECT_EQ(calls.size(), plan.calls.size());
}

}  // namespace

// A package that is loaded, with a session of two threads, through the C API.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/hone.h"
#include "tests/runtime/test_package.h"

namespace hone::testing {

class CApiTest : public ::testing::Test {
 protected:
  CApiTest() : path_(::testing::TempDir() + "hone_c_api_test_" + std::to_string(getpid()) + ".hone") {
    std::ofstream(path_, std::ios::binary) << TestPackage();
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

using Floats = std::vector<float>;
inline constexpr size_t kBytes = 4U * kTestElements;

inline Floats Values(float first) {
  Floats values(kTestElements);
  for (size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<float>(i % 17);
  return values;
}

}  // namespace hone::testing

// The error with which a call is refused.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/error.h"

namespace hone {

// The error that a call throws; expects its message to be one line.
template <typename Call>
Error Refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error;
  }
  ADD_FAILURE() << "it was not refused";
  return {ExitCode::kDone, ""};
}

}  // namespace hone

#include "core/machine/target.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace hone {
namespace {

TEST(Target, TextRoundTrips) {
  for (const char* text : {"llvm", "llvm -mcpu=znver3", "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72 -num-cores=4",
                           "llvm -mtriple=x86_64-pc-linux-gnu -mcpu=znver5 -mattr=+avx2,-avx512f"}) {
    EXPECT_EQ(Target::Parse(text).ToText(), text);
  }
}

TEST(Target, FieldsMayComeInAnyOrder) {
  const Target target = Target::Parse(" llvm  -num-cores=4 -mattr=-b,+a,+a -mcpu=x -mtriple=y-z ");
  EXPECT_EQ(target.ToText(), "llvm -mtriple=y-z -mcpu=x -mattr=+a,-b -num-cores=4");
}

TEST(Target, RefusesAndNamesTheField) {
  for (const char* text :
       {"", "cuda", "llvm -mcpu", "llvm -mcpu=", "llvm -mcpu=a -mcpu=b", "llvm -mattr=avx2", "llvm -mattr=+",
        "llvm -mattr=+a,", "llvm -mattr=+a,-a", "llvm -num-cores=0", "llvm -num-cores=x", "llvm -num-cores=99999999999",
        "llvm -mcpu=native", "llvm znver3", "llvm -mcpu=a;b", "llvm -libs=mkl"}) {
    EXPECT_THROW(Target::Parse(text), Error) << text;
  }
  try {
    Target::Parse("llvm -mcup=znver3");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_NE(std::string(error.what()).find("did you mean -mcpu?"), std::string::npos);
  }
}

}  // namespace
}  // namespace hone

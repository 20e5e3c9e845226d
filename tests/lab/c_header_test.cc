#include "lab/model/c_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(CHeader, TakesNamesOfCAlone) {
  for (const char* name : {"model", "_m", "resnet_18", "A1"}) EXPECT_TRUE(IsCName(name)) << name;
  for (const char* name : {"", "18", "a-b", "a b", "../x", "\xc3\xa4", "a\n"}) EXPECT_FALSE(IsCName(name)) << name;
}

// Names come from the model, which is an untrusted file.
TEST(CHeader, LeavesNoRemarkOpen) {
  Plan plan;
  plan.model = "a*/ int x; /*\nint y;";
  PlanBuffer buffer;
  buffer.name = "in*/ #error \\\n";
  buffer.shape = {2, 3};
  buffer.size_bytes = 24;
  plan.buffers = {buffer, buffer};
  plan.inputs = {0};
  plan.outputs = {1};
  const std::string header = CHeader(plan, "net", 4096);
  EXPECT_THAT(header, HasSubstr("/* in_/ #error _ : float32 2x3 */\n#define NET_INPUT_0_BYTES 24\n"));
  EXPECT_THAT(header, HasSubstr("#define NET_OUTPUT_0_BYTES 24\n"));
  EXPECT_THAT(header, HasSubstr("extern const unsigned char net_package[4096];\n"));
  EXPECT_THAT(header, HasSubstr("a_/ int x; /_ int y;"));
  EXPECT_THAT(header, Not(HasSubstr("\nint y")));
}

TEST(AotHeader, DeclaresOneFunctionAndWhatItNeeds) {
  Plan plan;
  plan.target.triple = "x86_64-linux-gnu";
  plan.target.cpu = "x86-64-v3";
  PlanBuffer buffer;
  buffer.name = "a*/b";
  buffer.size_bytes = 24;
  plan.buffers = {buffer, buffer, buffer};
  plan.inputs = {0, 1};
  plan.outputs = {2};
  const std::string header = AotHeader(plan, "net", 128);
  EXPECT_THAT(header, HasSubstr("#define NET_INPUT_1_BYTES 24\n"));
  EXPECT_THAT(header, HasSubstr("#define NET_NEEDS \"avx2 fma\"\n"));
  EXPECT_THAT(header, HasSubstr("#define NET_MEMORY_BYTES 128\n"));
  EXPECT_THAT(header,
              HasSubstr("int32_t net_run(const void* input_0, const void* input_1, void* output_0, void* memory);\n"));
  EXPECT_THAT(header, Not(HasSubstr("hone.h")));
}

}  // namespace
}  // namespace hone

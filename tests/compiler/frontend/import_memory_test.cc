// The cost of importing: a refused model is refused before much is computed, and a computed value takes its own size.
#include <gmock/gmock.h>

#include "tests/compiler/frontend/run_onnx.h"
#include "tests/support/peak_memory.h"

namespace hone {
namespace {

using testing::HasSubstr;

constexpr int64_t kMebibyte = int64_t{1} << 20;
constexpr int kInt64 = onnx::TensorProto_DataType_INT64;

class OnnxMemory : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer keeps what is freed";
#endif
  }
};

TEST_F(OnnxMemory, AMaskTakesItsOwnSizeWhileItIsComputed) {
  ModelMaker model;
  model.Input("x", {4096, 4096}).Node("Trilu", {"x"}, {"y"}).Output("y");
  const PeakMemory memory;
  ImportOnnxBytes(model.Bytes(), "mask");
  EXPECT_LT(memory.GrownBytes(), 20 * kMebibyte);
}

TEST_F(OnnxMemory, NothingIsComputedOfWhatIsRefusedAfterwards) {
  ModelMaker unpooled(11);
  unpooled.Input("x", {1, 1, 4096, 4096})
      .IntegerInput("at", kInt64, {1, 1, 4096, 4096})
      .IntegerInput("wanted", kInt64, {4});
  unpooled.Node("MaxUnpool", {"x", "at", "wanted"}, {"y"}, {{"kernel_shape", std::vector<int64_t>{1, 1}}}).Output("y");
  const PeakMemory memory;
  EXPECT_THAT(ImportError(unpooled.Bytes()), HasSubstr("output_shape must be known"));
  EXPECT_LT(memory.GrownBytes(), 8 * kMebibyte);
}

}  // namespace
}  // namespace hone

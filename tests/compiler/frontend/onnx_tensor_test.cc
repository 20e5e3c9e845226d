#include "compiler/frontend/onnx/file/onnx_tensor.h"

#include <gtest/gtest.h>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

ExitCode CodeOf(const std::string& bytes) {
  try {
    ParseTensorProto(bytes, "t");
  } catch (const Error& error) {
    return error.code();
  }
  return ExitCode::kDone;
}

TEST(ParseTensorProto, ReadsValuesAndShape) {
  onnx::TensorProto proto;
  proto.set_data_type(onnx::TensorProto::INT64);
  for (const int64_t dim : {2, 1}) proto.add_dims(dim);
  for (const int64_t value : {7, -9}) proto.add_int64_data(value);
  const Tensor tensor = ParseTensorProto(proto.SerializeAsString(), "t");
  EXPECT_EQ(tensor.dtype(), DType::kInt64);
  EXPECT_EQ(tensor.shape(), (Shape{2, 1}));
  EXPECT_EQ(tensor.data<int64_t>()[1], -9);
}

TEST(ParseTensorProto, RefusesWhatIsDamaged) {
  EXPECT_EQ(CodeOf("not a tensor"), ExitCode::kBadData);
  onnx::TensorProto proto;
  proto.set_data_type(onnx::TensorProto::FLOAT);
  proto.add_dims(5);
  proto.set_raw_data("1234");
  EXPECT_EQ(CodeOf(proto.SerializeAsString()), ExitCode::kBadData);
}

}  // namespace
}  // namespace hone

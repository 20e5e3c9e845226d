#include "compiler/frontend/onnx/onnx_tensor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

std::string WriteFile(const std::string& bytes) {
  const std::string path = testing::TempDir() + "/hone_tensor_" + std::to_string(getpid()) + ".pb";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

ExitCode CodeOf(const std::string& path) {
  try {
    ReadTensorProto(path);
  } catch (const Error& error) {
    return error.code();
  }
  return ExitCode::kDone;
}

TEST(ReadTensorProto, ReadsValuesAndShape) {
  onnx::TensorProto proto;
  proto.set_data_type(onnx::TensorProto::INT64);
  for (const int64_t dim : {2, 1}) proto.add_dims(dim);
  for (const int64_t value : {7, -9}) proto.add_int64_data(value);
  const std::string path = WriteFile(proto.SerializeAsString());
  const Tensor tensor = ReadTensorProto(path);
  EXPECT_EQ(tensor.dtype(), DType::kInt64);
  EXPECT_EQ(tensor.shape(), (Shape{2, 1}));
  EXPECT_EQ(tensor.data<int64_t>()[1], -9);
  std::remove(path.c_str());
}

TEST(ReadTensorProto, RefusesWhatIsAbsentOrDamaged) {
  EXPECT_EQ(CodeOf("no/such.pb"), ExitCode::kNoInput);
  const std::string path = WriteFile("not a tensor");
  EXPECT_EQ(CodeOf(path), ExitCode::kBadData);
  onnx::TensorProto proto;
  proto.set_data_type(onnx::TensorProto::FLOAT);
  proto.add_dims(5);
  proto.set_raw_data("1234");
  EXPECT_EQ(CodeOf(WriteFile(proto.SerializeAsString())), ExitCode::kBadData);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace hone

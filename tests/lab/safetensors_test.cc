#include "lab/files/safetensors.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/json/serialize.h"

namespace hone {
namespace {

PlanBuffer Param(const std::string& name, int64_t offset, Shape shape, const std::string& layout) {
  PlanBuffer buffer;
  buffer.name = name;
  buffer.kind = BufferKind::kParam;
  buffer.shape = std::move(shape);
  buffer.layout = Layout::Parse(layout);
  buffer.size_bytes = 4 * ElementCount(buffer.layout.PhysicalShape(buffer.shape));
  buffer.offset_bytes = offset;
  return buffer;
}

Json HeaderOf(const std::string& bytes) {
  const auto length = static_cast<size_t>(static_cast<unsigned char>(bytes[0])) |
                      static_cast<size_t>(static_cast<unsigned char>(bytes[1])) << 8;
  return ParseJson(bytes.substr(8, length), "header");
}

TEST(Safetensors, KeepsPhysicalShapesAndBytes) {
  Plan plan;
  plan.buffers = {Param("w", 64, {3, 2}, "NC4c"), Param("w", 0, {2, 2}, "NC")};
  const std::string bytes = SafetensorsBytes(plan, std::string(64, 'a') + std::string(48, 'b'));
  const Json header = HeaderOf(bytes);
  EXPECT_EQ(header["w"]["shape"], Json::array({3, 1, 4}));
  EXPECT_EQ(header["w"]["data_offsets"], Json::array({0, 48}));
  EXPECT_EQ(header["w_1"]["data_offsets"], Json::array({48, 64}));
  EXPECT_EQ(header["__metadata__"]["w"], "NC4c 3x2");
  EXPECT_EQ(bytes.substr(bytes.size() - 64), std::string(48, 'b') + std::string(16, 'a'));
}

TEST(Safetensors, RefusesAParameterOutsideTheSection) {
  Plan plan;
  plan.buffers = {Param("w", 64, {3, 2}, "NC")};
  EXPECT_THROW(SafetensorsBytes(plan, std::string(87, 'x')), Error);
  plan.buffers[0].offset_bytes = -4;
  EXPECT_THROW(SafetensorsBytes(plan, std::string(87, 'x')), Error);
}

std::map<std::string, Tensor> SomeTensors() {
  Tensor half(DType::kFloat16, {2}), bfloat(DType::kBFloat16, {3});
  half.Set(1, 0.5);
  bfloat.Set(2, -2);
  return {{"a", Tensor::FromVector<float>(DType::kFloat32, {1, 2}, {1, -2})},
          {"b", half},
          {"c", bfloat},
          {"empty", Tensor(DType::kInt64, {0, 4})},
          {"scalar", Tensor::Scalar(3)}};
}

TEST(Safetensors, AreReadAsTheyWereWritten) {
  const std::map<std::string, Tensor> read = ParseSafetensors(SafetensorsBytes(SomeTensors()), "f");
  ASSERT_EQ(read.size(), SomeTensors().size());
  for (const auto& [name, tensor] : SomeTensors()) {
    EXPECT_EQ(read.at(name).dtype(), tensor.dtype());
    EXPECT_EQ(read.at(name).shape(), tensor.shape());
    for (int64_t i = 0; i < tensor.elements(); ++i) EXPECT_EQ(read.at(name).At(i), tensor.At(i)) << name;
  }
}

std::string FileOf(const std::string& header, const std::string& data) {
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size() & 0xff);
  bytes[1] = static_cast<char>(header.size() >> 8);
  return bytes + header + data;
}

TEST(Safetensors, RefusesDamage) {
  const std::string whole = SafetensorsBytes(SomeTensors());
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(ParseSafetensors(whole.substr(0, size), "f"), Error) << size;
  }
  const std::string data(8, 'x');
  for (
      const std::string header :
      {R"([1])", R"({"a": 1})", R"({"a": {"dtype": "F32", "shape": [2]}})",
       R"({"a": {"dtype": "F31", "shape": [2], "data_offsets": [0, 8]}})",
       R"({"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}})",
       R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}})",
       R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]}})",
       R"({"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}})",
       R"({"a": {"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]}})",
       R"({"a": {"dtype": "F32", "shape": [4611686018427387904, 4], "data_offsets": [0, 8]}})",
       R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, "b": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})"}) {
    EXPECT_THROW(ParseSafetensors(FileOf(header, data), "f"), Error) << header;
  }
  EXPECT_EQ(
      ParseSafetensors(FileOf(R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})", data), "f").size(),
      1U);
}

}  // namespace
}  // namespace hone

#include "cli/files/safetensors.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/serialize.h"

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

}  // namespace
}  // namespace hone

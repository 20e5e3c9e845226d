#include "cli/files/safetensors.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "core/error.h"
#include "core/serialize.h"

namespace hone {
namespace {

constexpr std::array<std::string_view, 7> kNames = {"F32", "F64", "I32", "I64", "I8", "U8", "BOOL"};

std::string UniqueName(const std::string& name, std::set<std::string>& used) {
  std::string unique = name.empty() ? "param" : name;
  for (int i = 1; !used.insert(unique).second; ++i) unique = fmt::format("{}_{}", name.empty() ? "param" : name, i);
  return unique;
}

std::string_view BytesOf(const PlanBuffer& buffer, std::string_view params) {
  const auto size = static_cast<int64_t>(params.size());
  if (buffer.offset_bytes < 0 || buffer.size_bytes < 0 || buffer.offset_bytes > size ||
      buffer.size_bytes > size - buffer.offset_bytes) {
    throw Error(ExitCode::kBadData, fmt::format("parameter {} lies outside of the parameters section", buffer.name));
  }
  return params.substr(static_cast<size_t>(buffer.offset_bytes), static_cast<size_t>(buffer.size_bytes));
}

Shape PhysicalShape(const PlanBuffer& buffer) {
  if (buffer.layout.empty() || buffer.layout.LogicalAxes().size() != buffer.shape.size()) return buffer.shape;
  return buffer.layout.PhysicalShape(buffer.shape);
}

// Little endian, as the format has it.
std::string Length(uint64_t n) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(n >> (8 * i) & 0xff));
  return bytes;
}

}  // namespace

std::string SafetensorsBytes(const Plan& plan, std::string_view params) {
  Json header = Json::object(), metadata = {{"format", "hone"}};
  std::string data;
  std::set<std::string> used = {"__metadata__"};
  for (const PlanBuffer& buffer : plan.buffers) {
    if (buffer.kind != BufferKind::kParam) continue;
    const std::string name = UniqueName(buffer.name, used);
    const std::string_view bytes = BytesOf(buffer, params);
    header[name] = {{"dtype", kNames.at(static_cast<size_t>(buffer.dtype))},
                    {"shape", PhysicalShape(buffer)},
                    {"data_offsets", Json::array({data.size(), data.size() + bytes.size()})}};
    if (buffer.layout.blocked()) metadata[name] = fmt::format("{} {}", buffer.layout.ToText(), ShapeText(buffer.shape));
    data += bytes;
  }
  header["__metadata__"] = metadata;
  std::string text = DumpJson(header);
  text.append((8 - text.size() % 8) % 8, ' ');
  return Length(text.size()) + text + data;
}

}  // namespace hone

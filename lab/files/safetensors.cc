#include "lab/files/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "core/error.h"
#include "core/json/serialize.h"

namespace hone {
namespace {

// Names in the order of DType's numbers. Elements of fewer than 8 bits have no name, but those of their bytes.
constexpr std::array<std::string_view, 23> kDTypeNames = {
    "F32", "F64",     "I32",         "I64",     "I8",          "U8",      "BOOL", "F16", "BF16", "I16", "U16", "U32",
    "U64", "F8_E4M3", "F8_E4M3FNUZ", "F8_E5M2", "F8_E5M2FNUZ", "F8_E8M0", "U8",   "I8",  "U8",   "I8",  "U8"};
constexpr size_t kLengthBytes = 8;

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

// The format's length field, little-endian.
std::string Length(uint64_t n) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(n >> (8 * i) & 0xff));
  return bytes;
}

// Builds the file's bytes.
class Writer {
 public:
  void Add(const std::string& name, DType dtype, const Shape& shape, std::string_view bytes) {
    header_[name] = {{"dtype", kDTypeNames.at(static_cast<size_t>(dtype))},
                     {"shape", shape},
                     {"data_offsets", Json::array({data_.size(), data_.size() + bytes.size()})}};
    data_ += bytes;
  }

  std::string Bytes(const Json& metadata) {
    header_["__metadata__"] = metadata;
    std::string text = DumpJson(header_);
    text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
    return Length(text.size()) + text + data_;
  }

 private:
  Json header_ = Json::object();
  std::string data_;
};

std::string_view BytesOf(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.raw()), static_cast<size_t>(tensor.size_bytes())};
}

DType DTypeNamed(const Json& name, const std::string& what) {
  const auto it = std::find(kDTypeNames.begin(), kDTypeNames.end(), name.get<std::string>());
  if (it != kDTypeNames.end()) return static_cast<DType>(it - kDTypeNames.begin());
  throw Error(ExitCode::kBadData, fmt::format("{} is {}; one of {} would be right", what, name.get<std::string>(),
                                              fmt::join(kDTypeNames, ", ")));
}

// `left` is the number of bytes that no tensor has taken yet. It stops overlapping tensors from expanding a small file
// into much memory.
Tensor TensorOf(const Json& entry, std::string_view data, uint64_t& left, const std::string& what) {
  Tensor tensor;
  const DType dtype = DTypeNamed(entry.at("dtype"), what);
  const auto shape = entry.at("shape").get<Shape>();
  const auto offsets = entry.at("data_offsets").get<std::array<uint64_t, 2>>();
  const int64_t bytes = ElementCount(shape) * DTypeBytes(dtype);
  const bool inside = offsets[0] <= offsets[1] && offsets[1] <= data.size() && offsets[1] - offsets[0] <= left;
  if (!inside || bytes < 0 || offsets[1] - offsets[0] != static_cast<uint64_t>(bytes)) {
    throw Error(ExitCode::kBadData, fmt::format("{}: bytes {} to {} of {} do not hold {} {}", what, offsets[0],
                                                offsets[1], data.size(), ShapeText(shape), DTypeName(dtype)));
  }
  left -= offsets[1] - offsets[0];
  tensor = Tensor(dtype, shape);
  if (bytes > 0) std::memcpy(tensor.raw(), data.data() + offsets[0], static_cast<size_t>(bytes));
  return tensor;
}

}  // namespace

Shape PhysicalShape(const PlanBuffer& buffer) {
  if (buffer.layout.empty() || buffer.layout.LogicalAxes().size() != buffer.shape.size()) return buffer.shape;
  return buffer.layout.PhysicalShape(buffer.shape);
}

std::vector<std::pair<size_t, std::string>> ParamNames(const Plan& plan) {
  std::vector<std::pair<size_t, std::string>> names;
  std::set<std::string> used = {"__metadata__"};
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].kind == BufferKind::kParam) names.emplace_back(i, UniqueName(plan.buffers[i].name, used));
  }
  return names;
}

std::string SafetensorsBytes(const Plan& plan, std::string_view params) {
  Writer writer;
  Json metadata = {{"format", "hone"}};
  for (const auto& [index, name] : ParamNames(plan)) {
    const PlanBuffer& buffer = plan.buffers[index];
    writer.Add(name, buffer.dtype, PhysicalShape(buffer), BytesOf(buffer, params));
    if (buffer.layout.blocked()) metadata[name] = fmt::format("{} {}", buffer.layout.ToText(), ShapeText(buffer.shape));
  }
  return writer.Bytes(metadata);
}

std::string SafetensorsBytes(const std::map<std::string, Tensor>& tensors) {
  Writer writer;
  for (const auto& [name, tensor] : tensors) writer.Add(name, tensor.dtype(), tensor.shape(), BytesOf(tensor));
  return writer.Bytes({{"format", "hone"}});
}

std::map<std::string, Tensor> ParseSafetensors(std::string_view bytes, const std::string& name) {
  uint64_t length = 0;
  for (size_t i = 0; i < kLengthBytes && bytes.size() >= kLengthBytes; ++i) {
    length |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  }
  if (bytes.size() < kLengthBytes || length > bytes.size() - kLengthBytes) {
    throw Error(ExitCode::kBadData, fmt::format("{} is no .safetensors file, or is cut short: its header does not end "
                                                "within its {} bytes",
                                                name, bytes.size()));
  }
  const Json header = ParseJson(bytes.substr(kLengthBytes, length), name);
  if (!header.is_object()) throw Error(ExitCode::kBadData, fmt::format("{}: the header is no JSON object", name));
  const std::string_view data = bytes.substr(kLengthBytes + length);
  std::map<std::string, Tensor> tensors;
  uint64_t left = data.size();
  for (const auto& [key, entry] : header.items()) {
    if (key == "__metadata__") continue;
    const std::string what = fmt::format("{}: tensor {}", name, key);
    try {
      tensors.emplace(key, TensorOf(entry, data, left, what));
    } catch (const Json::exception&) {
      throw Error(ExitCode::kBadData, what + " lacks its dtype, shape or data_offsets, or one is of another type");
    }
  }
  return tensors;
}

}  // namespace hone

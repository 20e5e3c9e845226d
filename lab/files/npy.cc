#include "lab/files/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "core/declared_types.h"
#include "core/error.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"

namespace hone {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeader = kMostNpyHeadBytes - 12;

struct DescrRow {
  std::string_view descr;
  DType dtype;
};
// Types of ml_dtypes have no descr of their own. A file of two-byte records holds bfloat16.
constexpr std::array<DescrRow, 14> kDescrs = {{{"<f4", DType::kFloat32},
                                               {"<f8", DType::kFloat64},
                                               {"<i4", DType::kInt32},
                                               {"<i8", DType::kInt64},
                                               {"|i1", DType::kInt8},
                                               {"|u1", DType::kUInt8},
                                               {"|b1", DType::kBool},
                                               {"<f2", DType::kFloat16},
                                               {"<i2", declared::kInt16},
                                               {"<u2", declared::kUInt16},
                                               {"<u4", declared::kUInt32},
                                               {"<u8", declared::kUInt64},
                                               {"<V2", DType::kBFloat16},
                                               {"|V2", DType::kBFloat16}}};
// Records of one byte, as which ml_dtypes' types are written: their type is that of the input that reads them.
constexpr std::array<std::string_view, 3> kByteRecords = {"|V1", "<V1", "<f1"};

[[noreturn]] void Fail(const std::string& name, const std::string& why) {
  throw Error(ExitCode::kBadData, fmt::format("{}: not a usable .npy file: {}", name, why));
}

// The text behind 'key': in the header's dictionary.
std::string_view ValueOf(std::string_view header, std::string_view key, const std::string& name) {
  const std::string quoted = fmt::format("'{}':", key);
  const size_t at = header.find(quoted);
  if (at == std::string_view::npos) Fail(name, fmt::format("its header has no '{}'", key));
  std::string_view value = header.substr(at + quoted.size());
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  return value;
}

DType ParseDescr(std::string_view header, const std::string& name) {
  const std::string_view value = ValueOf(header, "descr", name);
  for (const DescrRow& row : kDescrs) {
    if (value.rfind(fmt::format("'{}'", row.descr), 0) == 0) return row.dtype;
  }
  for (const std::string_view record : kByteRecords) {
    if (value.rfind(fmt::format("'{}'", record), 0) == 0) return DType::kUInt8;
  }
  Fail(name, fmt::format("dtype {} (right are |b1, |i1 |u1, and <i2 <u2 <f2 to <i8 <u8 <f8)",
                         value.substr(0, value.find(','))));
}

Shape ParseTuple(std::string_view header, const std::string& name) {
  std::string_view value = ValueOf(header, "shape", name);
  const size_t close = value.find(')');
  if (value.empty() || value[0] != '(' || close == std::string_view::npos) Fail(name, "its shape is not a tuple");
  value = value.substr(1, close - 1);
  Shape shape;
  while (true) {
    value.remove_prefix(std::min(value.find_first_not_of(", "), value.size()));
    if (value.empty()) return shape;
    int64_t dim = 0;
    const auto [after, error] = std::from_chars(value.data(), value.data() + value.size(), dim);
    if (error != std::errc() || dim < 0 || shape.size() >= 32) Fail(name, "its shape is not a tuple of sizes");
    shape.push_back(dim);
    value.remove_prefix(static_cast<size_t>(after - value.data()));
  }
}

// Splits header and data. Version 1 has a 2-byte header length, later versions 4 bytes.
struct NpyParts {
  std::string_view header, data;
};
NpyParts SplitNpy(std::string_view bytes, const std::string& name) {
  if (bytes.size() < 10 || bytes.substr(0, kMagic.size()) != kMagic) Fail(name, "it does not begin with \\x93NUMPY");
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  const size_t version = byte(6);
  if (version < 1 || version > 3) Fail(name, fmt::format("version {} (right are 1 to 3)", version));
  const size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start) Fail(name, "it is cut off");
  size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > kMaxHeader || length > bytes.size() - start) Fail(name, "its header is cut off");
  return {bytes.substr(start, length), bytes.substr(start + length)};
}

}  // namespace

NpyHead ParseNpyHead(std::string_view begin, uint64_t file_bytes, const std::string& name) {
  const NpyParts parts = SplitNpy(begin, name);
  if (ValueOf(parts.header, "fortran_order", name).rfind("False", 0) != 0) Fail(name, "it is in Fortran order");
  const DType dtype = ParseDescr(parts.header, name);
  const Shape shape = ParseTuple(parts.header, name);
  const int64_t elements = ElementCount(shape);
  const size_t data_offset = begin.size() - parts.data.size();
  const auto have = static_cast<int64_t>(file_bytes - data_offset);
  // Divides rather than multiplies, because a product of numbers from the file may overflow.
  if (have % DTypeBytes(dtype) != 0 || have / DTypeBytes(dtype) != elements) {
    Fail(name, fmt::format("its shape {} does not fit its {} bytes of data", ShapeText(shape), have));
  }
  return {dtype, shape, data_offset};
}

Tensor ParseNpy(std::string_view bytes, const std::string& name) {
  const NpyHead head = ParseNpyHead(bytes, bytes.size(), name);
  const std::string_view data = bytes.substr(head.data_offset);
  Tensor tensor(head.dtype, head.shape);
  if (!data.empty()) std::memcpy(tensor.raw(), data.data(), data.size());
  return tensor;
}

Tensor ReadNpy(const std::string& path) { return ParseNpy(ReadFile(path), path); }

std::string NpyBytes(const Tensor& tensor) {
  const auto* row = std::ranges::find(kDescrs, tensor.dtype(), &DescrRow::dtype);
  const std::string_view descr = row == kDescrs.end() ? kByteRecords[0] : row->descr;
  std::string dims;
  for (const int64_t dim : tensor.shape()) dims += fmt::format("{},", dim);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, dims);
  // The header is padded so that the data begins at a multiple of 64, and it ends with a newline.
  header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
  std::string bytes(kMagic);
  bytes += {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  bytes += header;
  bytes.append(static_cast<const char*>(tensor.raw()), static_cast<size_t>(tensor.size_bytes()));
  return bytes;
}

void WriteNpy(const Tensor& tensor, const std::string& path) { WriteFileAtomically(path, NpyBytes(tensor)); }

}  // namespace hone

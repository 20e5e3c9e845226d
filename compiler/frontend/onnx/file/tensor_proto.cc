#include "compiler/frontend/onnx/file/tensor_proto.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "core/byte_floats.h"
#include "core/error.h"
#include "core/small_floats.h"

namespace hone {
namespace {

using onnx::TensorProto;

// No network's tensor is larger; products of dimensions then stay far from overflow.
constexpr int64_t kMaxTensorBytes = int64_t{1} << 40;

[[noreturn]] void RefuseTensor(const std::string& what, const std::string& why) {
  throw Error(ExitCode::kBadData, fmt::format("{}: {}", what, why));
}

Shape DimsOf(const TensorProto& proto, const std::string& what) {
  if (proto.dims_size() > kMaxOnnxRank)
    RefuseTensor(what, fmt::format("rank {}, at most {}", proto.dims_size(), kMaxOnnxRank));
  Shape shape(proto.dims().begin(), proto.dims().end());
  for (const int64_t dim : shape) {
    if (dim < 0) RefuseTensor(what, fmt::format("the dimension {} is negative", dim));
  }
  int64_t bytes = 0;
  try {
    bytes = ElementCount(shape);
  } catch (const Error&) {
    RefuseTensor(what, "its dimensions overflow");
  }
  if (bytes > kMaxTensorBytes / 8) RefuseTensor(what, fmt::format("{} elements are more than hone holds", bytes));
  return shape;
}

// Element i of integers of so many bits, the first in the lowest bits of its byte (little endian).
int64_t NarrowElement(const char* raw, int64_t i, const NarrowType& type, int64_t bits) {
  uint64_t word = 0;
  std::memcpy(&word, raw + i * bits / 8, static_cast<size_t>(CeilDiv(bits, 8)));
  word >>= i * bits % 8;
  if (bits == 64) return static_cast<int64_t>(word);
  const uint64_t mask = (uint64_t{1} << bits) - 1,
                 sign = type.kind == NarrowType::Kind::kSigned ? uint64_t{1} << (bits - 1) : 0;
  return static_cast<int64_t>(((word & mask) ^ sign) - sign);
}

void WidenRaw(const char* raw, const NarrowType& type, Tensor& into) {
  for (int64_t i = 0; i < into.elements(); ++i) {
    const int64_t value = NarrowElement(raw, i, type, type.bits);
    switch (type.stored) {
      case DType::kInt64:
        into.data<int64_t>()[i] = value;
        break;
      case DType::kInt32:
        into.data<int32_t>()[i] = static_cast<int32_t>(value);
        break;
      default:
        into.data<uint8_t>()[i] = static_cast<uint8_t>(value);
    }
  }
}

void ConvertByteFloats(const char* raw, const NarrowType& type, Tensor& into) {
  std::array<float, 256> values{};
  for (size_t code = 0; code < values.size(); ++code) {
    values[code] = ByteFloatValue(*FindByteFloat(type.declared), static_cast<uint8_t>(code));
  }
  for (int64_t i = 0; i < into.elements(); ++i) {
    into.data<float>()[i] = values[static_cast<size_t>(NarrowElement(raw, i, type, type.bits))];
  }
}

// Copies the bytes of raw_data or of an external file into a tensor of the stored type.
void ConvertRaw(const char* raw, const NarrowType& type, Tensor& into) {
  if (!type.is_real()) return WidenRaw(raw, type, into);
  if (type.is_byte_float()) return ConvertByteFloats(raw, type, into);
  float* values = into.data<float>();
  for (int64_t i = 0; i < into.elements(); ++i) {
    if (type.declared == DType::kFloat64) {
      double value = 0;
      std::memcpy(&value, raw + i * 8, 8);
      values[i] = static_cast<float>(value);
    } else {
      uint16_t half = 0;
      std::memcpy(&half, raw + i * 2, 2);
      values[i] = type.declared == DType::kFloat16 ? static_cast<float>(Float16::FromBits(half))
                                                   : static_cast<float>(BFloat16::FromBits(half));
    }
  }
}

Tensor FromRaw(const std::string& raw, const OnnxElementType& type, const Shape& shape, const std::string& what) {
  const int64_t wanted = type.RawBytes(ElementCount(shape));
  if (static_cast<int64_t>(raw.size()) != wanted) {
    RefuseTensor(what, fmt::format("{} needs {} bytes of data, it has {}", ShapeText(shape), wanted, raw.size()));
  }
  Tensor tensor(type.dtype, shape);
  if (wanted == 0) return tensor;
  if (type.narrow != nullptr) {
    ConvertRaw(raw.data(), *type.narrow, tensor);
  } else {
    std::memcpy(tensor.raw(), raw.data(), raw.size());
  }
  return tensor;
}

template <typename Field, typename Convert>
Tensor FromField(const Field& field, DType dtype, const Shape& shape, const std::string& what, Convert convert) {
  const int64_t wanted = ElementCount(shape);
  if (field.size() != wanted) {
    RefuseTensor(what, fmt::format("{} needs {} values, it has {}", ShapeText(shape), wanted, field.size()));
  }
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < wanted; ++i) convert(tensor, i, field[static_cast<int>(i)]);
  return tensor;
}

template <typename T>
void Store(Tensor& tensor, int64_t i, T value) {
  tensor.data<T>()[i] = value;
}

// Stores the number as that type; throws if the type cannot hold it.
template <typename T>
void StoreSmall(Tensor& tensor, int64_t i, int32_t value, const std::string& what) {
  if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) {
    RefuseTensor(what, fmt::format("{} holds no {}, which its element {} is", DTypeName(tensor.dtype()), value, i));
  }
  Store<T>(tensor, i, static_cast<T>(value));
}

// int32_data holds small integers.
Tensor FromInt32Data(const TensorProto& proto, DType dtype, const Shape& shape, const std::string& what) {
  const int type = proto.data_type();
  return FromField(proto.int32_data(), dtype, shape, what, [&](Tensor& tensor, int64_t i, int32_t value) {
    switch (type) {
      case TensorProto::INT32:
        return Store<int32_t>(tensor, i, value);
      case TensorProto::INT8:
        return StoreSmall<int8_t>(tensor, i, value, what);
      case TensorProto::BOOL:
        return Store<uint8_t>(tensor, i, value != 0 ? 1 : 0);
      default:
        return StoreSmall<uint8_t>(tensor, i, value, what);
    }
  });
}

// uint64_data holds unsigned integers of 32 and 64 bits. int32_data holds numbers of 16 bits, and bytes of smaller
// ones.
Tensor FromNarrowFields(const TensorProto& proto, const OnnxElementType& type, const Shape& shape,
                        const std::string& what) {
  const bool is_wide = type.bits > 16;
  std::string raw;
  const auto append = [&](uint64_t value, int64_t bytes) {
    raw.append(reinterpret_cast<const char*>(&value), static_cast<size_t>(bytes));
  };
  for (const uint64_t value : proto.uint64_data()) append(value, is_wide ? type.bits / 8 : 0);
  for (const int32_t value : proto.int32_data()) {
    append(static_cast<uint64_t>(value), is_wide ? 0 : CeilDiv(type.bits, 8));
  }
  return FromRaw(raw, type, shape, what);
}

Tensor FromFields(const TensorProto& proto, const OnnxElementType& type, const Shape& shape, const std::string& what) {
  if (type.narrow != nullptr && type.narrow->declared != DType::kFloat64) {
    return FromNarrowFields(proto, type, shape, what);
  }
  const DType dtype = type.dtype;
  switch (proto.data_type()) {
    case TensorProto::FLOAT:
      return FromField(proto.float_data(), dtype, shape, what, Store<float>);
    case TensorProto::DOUBLE:
      return FromField(proto.double_data(), dtype, shape, what,
                       [](Tensor& tensor, int64_t i, double v) { Store<float>(tensor, i, static_cast<float>(v)); });
    case TensorProto::INT64:
      return FromField(proto.int64_data(), dtype, shape, what, Store<int64_t>);
    default:
      return FromInt32Data(proto, dtype, shape, what);
  }
}

int64_t ParseEntry(const std::string& text, const std::string& key, const std::string& what) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    RefuseTensor(what, fmt::format("external data has {}=\"{}\", it must be a number", key, text));
  }
  return value;
}

Tensor FromExternal(const TensorProto& proto, const OnnxElementType& type, const Shape& shape, const std::string& what,
                    const ExternalData* external) {
  if (external == nullptr) RefuseTensor(what, "its data lie in another file, which is not read here");
  std::string location;
  int64_t offset = 0;
  const int64_t size = type.RawBytes(ElementCount(shape));
  int64_t length = size;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") offset = ParseEntry(entry.value(), "offset", what);
    if (entry.key() == "length") length = ParseEntry(entry.value(), "length", what);
  }
  if (length != size)
    RefuseTensor(what, fmt::format("{} needs {} bytes, length is {}", ShapeText(shape), size, length));
  try {
    external->Check(location, offset, size);
    if (!type.is_converted()) {
      Tensor tensor(type.dtype, shape);
      external->Read(location, offset, size, tensor.raw());
      return tensor;
    }
    std::string raw(static_cast<size_t>(size), '\0');
    external->Read(location, offset, size, raw.data());
    return FromRaw(raw, type, shape, what);
  } catch (const Error& error) {
    RefuseTensor(what, error.what());
  }
}

}  // namespace

OnnxElementType ElementTypeOf(int onnx_type, const std::string& what) {
  if (const NarrowType* narrow = FindNarrowType(onnx_type)) return {narrow->stored, narrow->bits, narrow};
  switch (onnx_type) {
    case TensorProto::FLOAT:
      return {DType::kFloat32, 32};
    case TensorProto::INT32:
      return {DType::kInt32, 32};
    case TensorProto::INT64:
      return {DType::kInt64, 64};
    case TensorProto::INT8:
      return {DType::kInt8, 8};
    case TensorProto::UINT8:
      return {DType::kUInt8, 8};
    case TensorProto::BOOL:
      return {DType::kBool, 8};
    case TensorProto::STRING:
      RefuseTensor(what,
                   "text is not supported; make numbers of it (tokens, labels) outside of the model, and export "
                   "the rest");
    default:
      RefuseTensor(what,
                   fmt::format("the element type {} is not supported; bool, floats of 4, 8, 16, 32 and 64 bits and "
                               "integers of 2 to 64 bits are",
                               TensorProto::DataType_IsValid(onnx_type) ? TensorProto::DataType_Name(onnx_type)
                                                                        : std::to_string(onnx_type)));
  }
}

Tensor TakeTensor(TensorProto& proto, const std::string& what, const ExternalData* external,
                  std::vector<std::string>& notices) {
  const OnnxElementType type = ElementTypeOf(proto.data_type(), what);
  const Shape shape = DimsOf(proto, what);
  if (proto.has_segment()) RefuseTensor(what, "tensors in segments are not supported");
  Tensor tensor;
  if (proto.data_location() == TensorProto::EXTERNAL) {
    tensor = FromExternal(proto, type, shape, what, external);
  } else if (proto.has_raw_data()) {
    // Clearing a message keeps the memory of its texts.
    const std::unique_ptr<const std::string> raw(proto.release_raw_data());
    tensor = FromRaw(*raw, type, shape, what);
  } else {
    tensor = FromFields(proto, type, shape, what);
  }
  if (type.narrow != nullptr && type.narrow->is_real()) {
    const std::string notice = fmt::format("{} weights are read as float32", type.narrow->name);
    if (std::find(notices.begin(), notices.end(), notice) == notices.end()) notices.push_back(notice);
  }
  proto.Clear();
  return tensor;
}

}  // namespace hone

#include "compiler/plan/param_bytes.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/ceil_div.h"
#include "core/error.h"

namespace hone {
namespace {

std::string_view BytesOfTensor(const Tensor& value) {
  return {static_cast<const char*>(value.raw()), static_cast<size_t>(value.size_bytes())};
}

}  // namespace

ParamBytes::ParamBytes(std::string_view bytes) {
  Tensor all(DType::kUInt8, {static_cast<int64_t>(bytes.size())});
  if (!bytes.empty()) std::memcpy(all.raw(), bytes.data(), bytes.size());
  Add(std::move(all), 1);
}

int64_t ParamBytes::Add(Tensor value, int64_t align) {
  const int64_t offset = CeilDiv(size_, align) * align;
  size_ = offset + value.size_bytes();
  pieces_.push_back({offset, std::move(value)});
  return offset;
}

std::string_view ParamBytes::At(int64_t offset, int64_t size) const {
  const auto behind = std::ranges::upper_bound(pieces_, offset, {}, &Piece::offset);
  if (behind == pieces_.begin()) throw Error(ExitCode::kBug, "no parameter lies there");
  const Piece& piece = *std::prev(behind);
  if (offset + size > piece.offset + piece.value.size_bytes()) {
    throw Error(ExitCode::kBug, "these bytes are not those of one parameter");
  }
  return BytesOfTensor(piece.value).substr(static_cast<size_t>(offset - piece.offset), static_cast<size_t>(size));
}

void ParamBytes::Write(const Sink& sink) const {
  int64_t written = 0;
  for (const Piece& piece : pieces_) {
    if (piece.offset > written) sink(std::string(static_cast<size_t>(piece.offset - written), '\0'));
    sink(BytesOfTensor(piece.value));
    written = piece.offset + piece.value.size_bytes();
  }
}

}  // namespace hone

// The params section of a package, in the tensors that it is made of.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace hone {

// Parameters one behind the other, with zeros between them. Shares the tensors' memory, so that weights of any size are
// in memory once. Nobody may write into the tensors.
class ParamBytes {
 public:
  // Takes consecutive pieces. Throws what the callee throws.
  using Sink = std::function<void(std::string_view piece)>;

  ParamBytes() = default;
  // A copy of the section of a package that was read.
  explicit ParamBytes(std::string_view bytes);

  // Puts the tensor behind the others, at a multiple of `align` bytes. Returns its offset.
  int64_t Add(Tensor value, int64_t align);
  int64_t size() const { return size_; }
  // The bytes of a tensor that Add put there. Throws Error(kBug) for bytes that are in no single tensor.
  std::string_view At(int64_t offset, int64_t size) const;
  // Gives all bytes in order.
  void Write(const Sink& sink) const;

 private:
  struct Piece {
    int64_t offset = 0;
    Tensor value;
  };
  std::vector<Piece> pieces_;  // by offset
  int64_t size_ = 0;
};

}  // namespace hone

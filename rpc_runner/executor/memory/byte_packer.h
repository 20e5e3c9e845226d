// Values as bytes for another process of the same program.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/error.h"

namespace hone {

// Writes values one after the other, as they lie in memory.
class BytePacker {
 public:
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  void Put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void PutText(std::string_view text) {
    Put(text.size());
    bytes_ += text;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Reads values in the same order. Throws Error(kBug) past the end of the bytes, which must outlive it.
class ByteUnpacker {
 public:
  explicit ByteUnpacker(std::string_view bytes) : left_(bytes) {}

  template <typename T>
    requires std::is_trivially_copyable_v<T>
  T Take() {
    T value{};
    std::memcpy(&value, Next(sizeof(value)).data(), sizeof(value));
    return value;
  }
  std::string_view TakeText() { return Next(Take<size_t>()); }

 private:
  std::string_view Next(size_t size) {
    if (size > left_.size()) throw Error(ExitCode::kBug, "a task's message ends too soon");
    const std::string_view bytes = left_.substr(0, size);
    left_ = left_.substr(size);
    return bytes;
  }

  std::string_view left_;
};

}  // namespace hone

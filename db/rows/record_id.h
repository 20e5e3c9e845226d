// A compact record id, for use where there are many.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

// A record's id without heap memory, which a std::string of 16 digits needs. Ordered as texts are.
class RecordId {
 public:
  static constexpr size_t kMostDigits = 16;

  RecordId() = default;
  // Throws Error(kBadData) for a text that is longer than any id.
  explicit RecordId(std::string_view text);
  std::string_view view() const { return {digits_.data(), size_}; }
  std::string text() const { return std::string(view()); }
  bool operator==(const RecordId& other) const { return view() == other.view(); }
  std::strong_ordering operator<=>(const RecordId& other) const { return view() <=> other.view(); }

 private:
  std::array<char, kMostDigits> digits_{};
  uint8_t size_ = 0;
};

}  // namespace hone

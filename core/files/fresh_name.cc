#include "core/files/fresh_name.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <cstdint>

namespace hone {

std::string FreshName(const std::string& path) {
  uint32_t number = 0;
  if (getrandom(&number, sizeof(number), 0) != static_cast<ssize_t>(sizeof(number))) return "";
  return fmt::format("{}{}{:08x}", path, kUnfinishedMark, number);
}

}  // namespace hone

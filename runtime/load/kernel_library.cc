#include <fmt/format.h>

#include <cstring>

#include "core/error.h"
#include "runtime/kernel_launch.h"

namespace hone {

KernelLibrary KernelLibrary::FromBytes(std::string_view elf, const std::string& name) {
  ElfImage image;
  if (const std::string rule = ReadElf(elf, &image); !rule.empty()) {
    throw Error(ExitCode::kBadData, fmt::format("{}: the kernel library {}", name, rule));
  }
  KernelLibrary library;
  library.mapped_ = MappedElf(elf, image);
  for (const ElfImage::Symbol& symbol : image.symbols) {
    char* address = library.mapped_.At(symbol.address);
    if (symbol.function) {
      library.functions_.emplace(symbol.name, reinterpret_cast<hone_kernel_stage>(address));
    } else {
      library.data_.emplace(symbol.name, std::string_view(address, symbol.room_bytes));
    }
  }
  return library;
}

hone_kernel_stage KernelLibrary::Find(const std::string& symbol) const {
  const auto found = functions_.find(symbol);
  if (found == functions_.end()) {
    throw Error(ExitCode::kBadData, fmt::format("the kernel library has no function '{}'", symbol));
  }
  return found->second;
}

std::string_view KernelLibrary::Text(const std::string& symbol) const {
  const auto found = data_.find(symbol);
  if (found == data_.end()) return {};
  const size_t end = found->second.find('\0');
  return end == std::string_view::npos ? std::string_view() : found->second.substr(0, end);
}

}  // namespace hone

// A kernel's shared object in memory, mapped without the system's loader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/load/check_elf.h"

namespace hone {

// Owns the memory. Mapping runs none of the object's code.
class MappedElf {
 public:
  MappedElf() = default;
  // Copies the bytes. `image` is ReadElf's result for them. Throws Error(kIo) when there is no memory.
  MappedElf(std::string_view elf, const ElfImage& image);
  MappedElf(MappedElf&& other) noexcept;
  MappedElf& operator=(MappedElf&& other) noexcept;
  ~MappedElf();

  // The place in memory of the object's own address. Valid as long as this.
  char* At(uint64_t address) const { return zero_ + address; }

 private:
  void Fill(std::string_view elf, const ElfImage& image);
  void Protect(const ElfImage& image);

  char* begin_ = nullptr;  // of the reservation
  size_t size_ = 0;
  char* zero_ = nullptr;
};

}  // namespace hone

// Shared objects of kernels, mapped without the system's loader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/package/kernel_abi.h"
#include "runtime/load/check_elf.h"

namespace hone {

// A shared object in memory, which it owns. Mapping runs none of the object's code.
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

// A shared object of kernels, checked and mapped by hone itself. The system's loader never sees it, and none of its
// code runs before a stage is called. Throws Error(kBadData) naming the rule it breaks (see check_elf.h).
class KernelLibrary {
 public:
  // Copies the bytes. `name` is for messages. Also throws Error(kIo) when there is no memory.
  static KernelLibrary FromBytes(std::string_view elf, const std::string& name);
  // Throws Error(kBadData) when there is no function of that name. The result is valid as long as the library.
  hone_kernel_stage Find(const std::string& symbol) const;
  // The zero-terminated text that the library exports as data of that name; empty if there is none. Valid as long as
  // the library.
  std::string_view Text(const std::string& symbol) const;

 private:
  KernelLibrary() = default;
  MappedElf mapped_;
  std::unordered_map<std::string, hone_kernel_stage> functions_;
  std::unordered_map<std::string, std::string_view> data_;
};

}  // namespace hone

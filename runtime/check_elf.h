// What a kernel's shared object must look like, and what of it is mapped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// All that MapElf looks at. Addresses are the object's own, from 0 on.
struct ElfImage {
  struct Segment {
    uint64_t address = 0, memory_bytes = 0;
    uint64_t file_offset = 0, file_bytes = 0;  // the rest of the memory is zero
    bool writable = false, executable = false;
  };
  struct Symbol {
    std::string_view name;  // within the object's bytes
    uint64_t address = 0;
    uint64_t room_bytes = 0;  // from there to the end of its segment's file part
    bool function = false;    // otherwise data
  };
  // The word (of the machine's pointers) at `address`, in a writable segment, becomes the place in memory of the
  // object's address `value`.
  struct Relocation {
    uint64_t address = 0, value = 0;
  };
  std::vector<Segment> segments;  // by address; no two share a page
  std::vector<Symbol> symbols;    // that the object exports
  std::vector<Relocation> relocations;
  uint64_t align = 1;  // of the address 0 in memory
};

// The rule that the ELF breaks, or empty; then *image says what is to be mapped. A little-endian shared object for
// this machine's architecture and of its words; segments within the file, on pages of their own, never writable and
// executable at once; no interpreter, thread-local storage or executable stack; no dependencies, constructors,
// destructors, run paths, text relocations, imported symbols or functions that choose themselves while loading (ifunc);
// functions lie in executable segments. Bounds-checked: any bytes may be given.
std::string ReadElf(std::string_view elf, ElfImage* image);

// ReadElf's verdict alone.
std::string CheckElf(std::string_view elf);

}  // namespace hone

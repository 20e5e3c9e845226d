// The rules that a kernel's shared object must keep, and the parts of it that are mapped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// Everything that MapElf reads. Addresses are the object's own, from 0 on.
struct ElfImage {
  struct Segment {
    uint64_t address = 0, memory_bytes = 0;
    uint64_t file_offset = 0, file_bytes = 0;  // the rest of the memory is zero
    bool writable = false, executable = false;
  };
  struct Symbol {
    std::string_view name;  // within the object's bytes
    uint64_t address = 0;
    uint64_t room_bytes = 0;  // from `address` to the end of its segment's file part
    bool function = false;    // otherwise data
  };
  // The pointer-sized word at `address`, in a writable segment, is set to the place in memory of the object's address
  // `value`.
  struct Relocation {
    uint64_t address = 0, value = 0;
  };
  std::vector<Segment> segments;  // by address; no two share a page
  std::vector<Symbol> symbols;    // exported by the object
  std::vector<Relocation> relocations;
  uint64_t align = 1;  // alignment of the address 0 in memory
};

// Returns the rule that the ELF breaks, or empty; *image then says what is to be mapped. Bounds-checked: any bytes may
// be given.
//
// It must be a little-endian shared object for this machine's architecture and word size. Segments lie within the
// file, on pages of their own, and are never both writable and executable. It has no interpreter, thread-local storage
// or executable stack, no dependencies, constructors, destructors or run paths. It has no text relocations, imported
// symbols or functions that choose their implementation while loading (ifunc). Functions lie in executable segments.
std::string ReadElf(std::string_view elf, ElfImage* image);

// Returns only ReadElf's verdict.
std::string CheckElf(std::string_view elf);

}  // namespace hone

// What a kernel's shared object must look like before it is loaded.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// The rule that the ELF breaks, or empty: a 64-bit little-endian shared object for this machine's architecture;
// segments within the file and never writable and executable at once; no interpreter, thread-local storage or
// executable stack; no dependencies, constructors, destructors, run paths, text relocations, imported symbols or
// functions that choose themselves while loading (ifunc). Bounds-checked: any bytes may be given. Loading runs no code
// of an object that passes.
std::string CheckElf(std::string_view elf);

}  // namespace hone

#include "lab/files/object_file.h"

#include <elf.h>
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "core/error.h"
#include "core/package/package_format.h"

namespace hone {
namespace {

struct ElfMachine {
  std::string_view architecture;
  Elf64_Half number;
  Elf64_Word flags;  // the calling convention, on machines whose linker compares it
};
constexpr std::array<ElfMachine, 3> kElfMachines = {{{"x86_64", EM_X86_64, 0},
                                                     {"aarch64", EM_AARCH64, 0},
                                                     {"riscv64", EM_RISCV, EF_RISCV_RVC | EF_RISCV_FLOAT_ABI_DOUBLE}}};

const ElfMachine& MachineOf(const std::string& triple) {
  const std::string architecture = triple.substr(0, triple.find('-'));
  for (const ElfMachine& machine : kElfMachines) {
    if (machine.architecture == architecture) return machine;
  }
  throw Error(
      ExitCode::kBadConfig,
      fmt::format("there are no object files for {}; x86_64, aarch64 and riscv64 would be right", architecture));
}

// The sections in the order of their headers: the first is null, and the note says that no stack is executable.
enum ElfSection : Elf64_Half { kNoSection, kDataSection, kSymbolSection, kNameSection, kStackNoteSection, kSections };
constexpr char kSectionNames[] = "\0.rodata\0.symtab\0.strtab\0.note.GNU-stack";
constexpr std::array<Elf64_Word, kSections> kNameAt = {0, 1, 9, 17, 25};

template <typename Struct>
std::string RawBytes(const Struct& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

Elf64_Shdr SectionHeader(ElfSection section, Elf64_Word type, Elf64_Xword flags, Elf64_Off offset, Elf64_Xword size,
                         Elf64_Xword align) {
  Elf64_Shdr header{};
  header.sh_name = kNameAt[section];
  header.sh_type = type;
  header.sh_flags = flags;
  header.sh_offset = offset;
  header.sh_size = size;
  header.sh_addralign = align;
  return header;
}

Elf64_Ehdr FileHeader(const ElfMachine& machine, Elf64_Off sections_at) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = machine.number;
  header.e_version = EV_CURRENT;
  header.e_flags = machine.flags;
  header.e_shoff = sections_at;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = kSections;
  header.e_shstrndx = kNameSection;
  return header;
}

Elf64_Sym Symbol(Elf64_Word name_at, size_t size) {
  Elf64_Sym symbol{};
  symbol.st_name = name_at;
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
  symbol.st_shndx = kDataSection;
  symbol.st_size = size;
  return symbol;
}

}  // namespace

// Layout of the file: header, bytes (from 4096 on), symbols, names, section headers.
std::string ObjectFile(const std::string& triple, const std::string& symbol, std::string_view bytes) {
  const ElfMachine& machine = MachineOf(triple);
  const std::string names = std::string(kSectionNames, sizeof(kSectionNames)) + symbol + '\0';
  const std::string symbols = RawBytes(Elf64_Sym{}) + RawBytes(Symbol(sizeof(kSectionNames), bytes.size()));
  constexpr size_t kWord = 8;
  const size_t symbols_at = (kPackageAlign + bytes.size() + kWord - 1) / kWord * kWord;
  const size_t names_at = symbols_at + symbols.size();
  const size_t sections_at = (names_at + names.size() + kWord - 1) / kWord * kWord;

  std::string file = RawBytes(FileHeader(machine, sections_at));
  file.reserve(sections_at + kSections * sizeof(Elf64_Shdr));
  file.resize(kPackageAlign);
  file += bytes;
  file.resize(symbols_at);
  file += symbols + names;
  file.resize(sections_at);
  Elf64_Shdr symbol_header = SectionHeader(kSymbolSection, SHT_SYMTAB, 0, symbols_at, symbols.size(), kWord);
  symbol_header.sh_link = kNameSection;
  symbol_header.sh_info = 1;  // index of the first symbol that is not local
  symbol_header.sh_entsize = sizeof(Elf64_Sym);
  file += RawBytes(Elf64_Shdr{}) +
          RawBytes(SectionHeader(kDataSection, SHT_PROGBITS, SHF_ALLOC, kPackageAlign, bytes.size(), kPackageAlign));
  file += RawBytes(symbol_header) + RawBytes(SectionHeader(kNameSection, SHT_STRTAB, 0, names_at, names.size(), 1));
  file += RawBytes(SectionHeader(kStackNoteSection, SHT_PROGBITS, 0, sections_at, 0, 1));
  return file;
}

}  // namespace hone

#include "runtime/check_elf.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <vector>

namespace hone {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
constexpr uint32_t kIrelative = R_X86_64_IRELATIVE;
constexpr const char* kMachineName = "x86_64";
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
constexpr uint32_t kIrelative = R_AARCH64_IRELATIVE;
constexpr const char* kMachineName = "aarch64";
#elif defined(__riscv)
constexpr uint16_t kMachine = EM_RISCV;
constexpr uint32_t kIrelative = 58;
constexpr const char* kMachineName = "riscv64";
#else
#error "an architecture that kernels are not built for"
#endif

constexpr uint64_t kMostMemory = uint64_t{1} << 32;  // of one object in memory
constexpr uint64_t kPage = 4096;

struct BannedTag {
  int64_t tag;
  const char* why;
};
constexpr BannedTag kBannedTags[] = {{DT_NEEDED, "needs another library"},
                                     {DT_INIT, "has a constructor"},
                                     {DT_INIT_ARRAY, "has constructors"},
                                     {DT_PREINIT_ARRAY, "has constructors"},
                                     {DT_FINI, "has a destructor"},
                                     {DT_FINI_ARRAY, "has destructors"},
                                     {DT_TEXTREL, "has text relocations"},
                                     {DT_RPATH, "has a run path"},
                                     {DT_RUNPATH, "has a run path"},
                                     {DT_FILTER, "filters another library"},
                                     {DT_AUXILIARY, "filters another library"},
                                     {DT_AUDIT, "names an auditor"},
                                     {DT_DEPAUDIT, "names an auditor"},
                                     {DT_REL, "has relocations without addends"},
                                     {35 /* DT_RELRSZ */, "has packed relocations"}};

// Tags whose value is an address that the loader follows.
constexpr int64_t kAddressTags[] = {DT_STRTAB, DT_SYMTAB, DT_HASH,   DT_GNU_HASH, DT_RELA,
                                    DT_JMPREL, DT_PLTGOT, DT_VERSYM, DT_VERDEF};

class Checker {
 public:
  explicit Checker(std::string_view elf) : elf_(elf) {}

  std::string Check() {
    for (const auto step : {&Checker::CheckHeader, &Checker::CheckSegments, &Checker::CheckDynamic,
                            &Checker::CheckAddresses, &Checker::CheckRelocations}) {
      if (std::string rule = (this->*step)(); !rule.empty()) return rule;
    }
    return "";
  }

 private:
  template <typename T>
  std::optional<T> ReadAt(uint64_t offset) const {
    if (offset > elf_.size() || elf_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, elf_.data() + offset, sizeof(T));
    return value;
  }

  // The file offset of `size` bytes at a virtual address, when one segment's file part holds them all.
  std::optional<uint64_t> OffsetOf(uint64_t address, uint64_t size) const {
    for (const Elf64_Phdr& load : loads_) {
      if (address < load.p_vaddr || address - load.p_vaddr > load.p_filesz) continue;
      if (load.p_filesz - (address - load.p_vaddr) >= size) return load.p_offset + (address - load.p_vaddr);
    }
    return std::nullopt;
  }

  std::string CheckHeader() {
    const auto header = ReadAt<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return "is not an ELF file";
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB) {
      return "is not a 64-bit little-endian ELF file";
    }
    if (header->e_type != ET_DYN) return "is not a shared object";
    if (header->e_machine != kMachine) {
      return fmt::format("is for ELF machine {}, this one is {} ({})", header->e_machine, kMachine, kMachineName);
    }
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum == 0 || header->e_phnum > 64) {
      return "has a program header table of the wrong size";
    }
    header_ = *header;
    return "";
  }

  std::string CheckLoad(const Elf64_Phdr& segment) {
    if (segment.p_offset > elf_.size() || elf_.size() - segment.p_offset < segment.p_filesz) {
      return "has a segment beyond its end";
    }
    if (segment.p_memsz < segment.p_filesz || segment.p_vaddr > kMostMemory || segment.p_memsz > kMostMemory) {
      return "has a segment of an impossible size";
    }
    const uint64_t align = segment.p_align;
    if (align < kPage || (align & (align - 1)) != 0 || segment.p_vaddr % align != segment.p_offset % align) {
      return "has a misaligned segment";
    }
    if (!loads_.empty() && segment.p_vaddr < loads_.back().p_vaddr + loads_.back().p_memsz) {
      return "has segments out of order";
    }
    loads_.push_back(segment);
    return "";
  }

  std::string CheckSegment(const Elf64_Phdr& segment) {
    if ((segment.p_flags & PF_W) != 0 && (segment.p_flags & PF_X) != 0) {
      return segment.p_type == PT_GNU_STACK ? "wants an executable stack" : "has a writable and executable segment";
    }
    switch (segment.p_type) {
      case PT_LOAD:
        return CheckLoad(segment);
      case PT_TLS:
        return "has thread-local storage";
      case PT_INTERP:
        return "names an interpreter";
      case PT_GNU_STACK:
        has_stack_ = true;
        return (segment.p_flags & PF_X) != 0 ? "wants an executable stack" : "";
      case PT_DYNAMIC:
        if (has_dynamic_) return "has two dynamic sections";
        has_dynamic_ = true;
        dynamic_ = segment;
        return "";
      default:
        return "";
    }
  }

  std::string CheckSegments() {
    for (uint16_t i = 0; i < header_.e_phnum; ++i) {
      if (header_.e_phoff > elf_.size()) return "has its program headers beyond its end";
      const auto segment = ReadAt<Elf64_Phdr>(header_.e_phoff + i * sizeof(Elf64_Phdr));
      if (!segment) return "has its program headers beyond its end";
      if (std::string rule = CheckSegment(*segment); !rule.empty()) return rule;
    }
    if (loads_.empty() || !has_dynamic_) return "has nothing to load";
    // Without the note the loader makes the process's stacks executable.
    if (!has_stack_) return "does not say that its stack is not executable";
    return "";
  }

  std::string CheckDynamic() {
    const auto at = OffsetOf(dynamic_.p_vaddr, dynamic_.p_filesz);
    if (!at || *at != dynamic_.p_offset) return "has its dynamic section outside its segments";
    for (uint64_t used = 0; used + sizeof(Elf64_Dyn) <= dynamic_.p_filesz; used += sizeof(Elf64_Dyn)) {
      const auto entry = ReadAt<Elf64_Dyn>(*at + used);
      if (!entry) break;
      if (entry->d_tag == DT_NULL) return "";
      for (const BannedTag& banned : kBannedTags) {
        if (entry->d_tag == banned.tag) return banned.why;
      }
      if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL) != 0) return "has text relocations";
      if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_STATIC_TLS) != 0) return "has thread-local storage";
      if (entry->d_tag == DT_FLAGS_1 && (entry->d_un.d_val & DF_1_NODELETE) != 0) return "refuses to be unloaded";
      entries_.push_back(*entry);
    }
    return "has a dynamic section without an end";
  }

  std::optional<uint64_t> Tag(int64_t tag) const {
    for (const Elf64_Dyn& entry : entries_) {
      if (entry.d_tag == tag) return entry.d_un.d_val;
    }
    return std::nullopt;
  }

  std::string CheckAddresses() {
    for (const int64_t tag : kAddressTags) {
      const auto address = Tag(tag);
      if (address && !OffsetOf(*address, 1)) return fmt::format("has dynamic entry {} outside its segments", tag);
    }
    const auto text = Tag(DT_STRTAB), size = Tag(DT_STRSZ);
    if (!text || !size || !Tag(DT_SYMTAB)) return "has no symbol table";
    const auto at = OffsetOf(*text, *size);
    if (!at || *size == 0 || elf_[*at + *size - 1] != 0) return "has a damaged string table";
    return "";
  }

  std::string CheckRelocation(const Elf64_Rela& relocation) const {
    if (ELF64_R_TYPE(relocation.r_info) == kIrelative) return "has an ifunc";
    const uint64_t index = ELF64_R_SYM(relocation.r_info);
    if (index == 0) return "";
    const auto at = OffsetOf(*Tag(DT_SYMTAB) + index * sizeof(Elf64_Sym), sizeof(Elf64_Sym));
    const auto symbol = at ? ReadAt<Elf64_Sym>(*at) : std::nullopt;
    if (!symbol) return "has a relocation to a symbol outside its table";
    if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC) return "has an ifunc";
    return symbol->st_shndx == SHN_UNDEF ? "imports a symbol" : "";
  }

  std::string CheckRelocations() {
    const std::pair<int64_t, int64_t> tables[] = {{DT_RELA, DT_RELASZ}, {DT_JMPREL, DT_PLTRELSZ}};
    for (const auto& [table, size_tag] : tables) {
      const auto address = Tag(table), size = Tag(size_tag);
      if (!address || !size) continue;
      const auto at = OffsetOf(*address, *size);
      if (!at) return "has its relocations outside its segments";
      for (uint64_t used = 0; used + sizeof(Elf64_Rela) <= *size; used += sizeof(Elf64_Rela)) {
        const auto relocation = ReadAt<Elf64_Rela>(*at + used);
        if (!relocation) return "has its relocations beyond its end";
        if (std::string rule = CheckRelocation(*relocation); !rule.empty()) return rule;
      }
    }
    return "";
  }

  std::string_view elf_;
  Elf64_Ehdr header_{};
  Elf64_Phdr dynamic_{};
  bool has_dynamic_ = false, has_stack_ = false;
  std::vector<Elf64_Phdr> loads_;
  std::vector<Elf64_Dyn> entries_;
};

}  // namespace

std::string CheckElf(std::string_view elf) { return Checker(elf).Check(); }

}  // namespace hone

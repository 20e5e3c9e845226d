#include "runtime/load/check_elf.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

namespace hone {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
constexpr uint32_t kNone = R_X86_64_NONE, kRelative = R_X86_64_RELATIVE, kIrelative = R_X86_64_IRELATIVE;
constexpr uint32_t kToSymbol[] = {R_X86_64_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT};
constexpr const char* kMachineName = "x86_64";
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
constexpr uint32_t kNone = R_AARCH64_NONE, kRelative = R_AARCH64_RELATIVE, kIrelative = R_AARCH64_IRELATIVE;
constexpr uint32_t kToSymbol[] = {R_AARCH64_ABS64, R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT};
constexpr const char* kMachineName = "aarch64";
#elif defined(__riscv)
constexpr uint16_t kMachine = EM_RISCV;
constexpr uint32_t kNone = R_RISCV_NONE, kRelative = R_RISCV_RELATIVE, kIrelative = 58;
constexpr uint32_t kToSymbol[] = {R_RISCV_64, R_RISCV_JUMP_SLOT};
constexpr const char* kMachineName = "riscv64";
#elif defined(__arm__)
constexpr uint16_t kMachine = EM_ARM;
constexpr uint32_t kNone = R_ARM_NONE, kRelative = R_ARM_RELATIVE, kIrelative = R_ARM_IRELATIVE;
constexpr uint32_t kToSymbol[] = {R_ARM_ABS32, R_ARM_GLOB_DAT, R_ARM_JUMP_SLOT};
constexpr const char* kMachineName = "armv7";
#else
#error "an architecture that kernels are not built for"
#endif

// A kernel's object uses the machine's own word size.
using Address = ElfW(Addr);
using FileHeader = ElfW(Ehdr);
using ProgramHeader = ElfW(Phdr);
using DynamicEntry = ElfW(Dyn);
using SymbolEntry = ElfW(Sym);
using RelocationEntry = ElfW(Rela);
constexpr unsigned kClass = sizeof(Address) == 8 ? ELFCLASS64 : ELFCLASS32;

uint32_t TypeOf(const RelocationEntry& relocation) {
  return static_cast<uint32_t>(sizeof(Address) == 8 ? ELF64_R_TYPE(uint64_t{relocation.r_info})
                                                    : ELF32_R_TYPE(relocation.r_info));
}

uint64_t SymbolOf(const RelocationEntry& relocation) {
  return sizeof(Address) == 8 ? ELF64_R_SYM(uint64_t{relocation.r_info}) : ELF32_R_SYM(relocation.r_info);
}

constexpr uint64_t kMostMemory = uint64_t{1} << (sizeof(Address) == 8 ? 32 : 28);  // of one object in memory
constexpr uint64_t kLeastPage = 4096;
constexpr uint64_t kMostAlign = uint64_t{2} << 20;
constexpr uint32_t kMostSymbols = 1 << 20;

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

// No other tag may stand in a dynamic section. The last three are the processors' own and say how calls pass
// arguments.
constexpr int64_t kKnownTags[] = {DT_SONAME,    DT_FLAGS,   DT_FLAGS_1,  DT_GNU_HASH, DT_HASH,   DT_STRTAB,
                                  DT_STRSZ,     DT_SYMTAB,  DT_SYMENT,   DT_RELA,     DT_RELASZ, DT_RELAENT,
                                  DT_RELACOUNT, DT_JMPREL,  DT_PLTRELSZ, DT_PLTREL,   DT_PLTGOT, DT_BIND_NOW,
                                  DT_DEBUG,     0x70000001, 0x70000003,  0x70000005};

class Reader {
 public:
  Reader(std::string_view elf, ElfImage* image) : elf_(elf), image_(*image) {}

  std::string Read() {
    for (const auto step : {&Reader::CheckHeader, &Reader::ReadSegments, &Reader::ReadDynamic, &Reader::FindSymbols,
                            &Reader::ReadSymbols, &Reader::ReadRelocations}) {
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

  // The segment whose file part holds the `size` bytes at the address; null if none does.
  const ElfImage::Segment* SegmentOf(uint64_t address, uint64_t size) const {
    for (const ElfImage::Segment& segment : image_.segments) {
      if (address < segment.address || address - segment.address > segment.file_bytes) continue;
      if (segment.file_bytes - (address - segment.address) >= size) return &segment;
    }
    return nullptr;
  }

  // The offset of those bytes in the file.
  std::optional<uint64_t> OffsetOf(uint64_t address, uint64_t size) const {
    const ElfImage::Segment* segment = SegmentOf(address, size);
    if (segment == nullptr) return std::nullopt;
    return segment->file_offset + (address - segment->address);
  }

  template <typename T>
  std::optional<T> ReadMemory(uint64_t address) const {
    const auto at = OffsetOf(address, sizeof(T));
    return at ? ReadAt<T>(*at) : std::nullopt;
  }

  std::string CheckHeader() {
    const auto header = ReadAt<FileHeader>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return "is not an ELF file";
    if (header->e_ident[EI_CLASS] != kClass || header->e_ident[EI_DATA] != ELFDATA2LSB) {
      return fmt::format("is not a {}-bit little-endian ELF file", 8 * sizeof(Address));
    }
    if (header->e_type != ET_DYN) return "is not a shared object";
    if (header->e_machine != kMachine) {
      return fmt::format("is for ELF machine {}, this one is {} ({})", header->e_machine, kMachine, kMachineName);
    }
    if (header->e_phentsize != sizeof(ProgramHeader) || header->e_phnum == 0 || header->e_phnum > 64) {
      return "has a program header table of the wrong size";
    }
    header_ = *header;
    return "";
  }

  std::string ReadLoad(const ProgramHeader& segment) {
    if (segment.p_offset > elf_.size() || elf_.size() - segment.p_offset < segment.p_filesz) {
      return "has a segment beyond its end";
    }
    if (segment.p_memsz < segment.p_filesz || segment.p_vaddr > kMostMemory || segment.p_memsz > kMostMemory) {
      return "has a segment of an impossible size";
    }
    const uint64_t align = segment.p_align;
    if (align < kLeastPage || align > kMostAlign || (align & (align - 1)) != 0 ||
        segment.p_vaddr % align != segment.p_offset % align) {
      return "has a misaligned segment";
    }
    // Memory is mapped and protected in whole pages.
    if (!image_.segments.empty() && segment.p_vaddr / page_ * page_ < end_) return "has segments that share a page";
    end_ = (segment.p_vaddr + segment.p_memsz + page_ - 1) / page_ * page_;
    image_.align = std::max(image_.align, align);
    image_.segments.push_back({segment.p_vaddr, segment.p_memsz, segment.p_offset, segment.p_filesz,
                               (segment.p_flags & PF_W) != 0, (segment.p_flags & PF_X) != 0});
    return "";
  }

  std::string ReadSegment(const ProgramHeader& segment) {
    if ((segment.p_flags & PF_W) != 0 && (segment.p_flags & PF_X) != 0) {
      return segment.p_type == PT_GNU_STACK ? "requires an executable stack" : "has a writable and executable segment";
    }
    switch (segment.p_type) {
      case PT_LOAD:
        return ReadLoad(segment);
      case PT_TLS:
        return "has thread-local storage";
      case PT_INTERP:
        return "names an interpreter";
      case PT_GNU_STACK:
        has_stack_ = true;
        return (segment.p_flags & PF_X) != 0 ? "requires an executable stack" : "";
      case PT_DYNAMIC:
        if (has_dynamic_) return "has two dynamic sections";
        has_dynamic_ = true;
        dynamic_ = segment;
        return "";
      default:
        return "";
    }
  }

  std::string ReadSegments() {
    for (uint16_t i = 0; i < header_.e_phnum; ++i) {
      if (header_.e_phoff > elf_.size()) return "has its program headers beyond its end";
      const auto segment = ReadAt<ProgramHeader>(header_.e_phoff + i * sizeof(ProgramHeader));
      if (!segment) return "has its program headers beyond its end";
      if (std::string rule = ReadSegment(*segment); !rule.empty()) return rule;
    }
    if (image_.segments.empty() || !has_dynamic_) return "has nothing to load";
    // Without this note other loaders make the process's stacks executable.
    if (!has_stack_) return "does not say that its stack is not executable";
    return "";
  }

  std::string ReadDynamic() {
    const auto at = OffsetOf(dynamic_.p_vaddr, dynamic_.p_filesz);
    if (!at || *at != dynamic_.p_offset) return "has its dynamic section outside its segments";
    for (uint64_t used = 0; used + sizeof(DynamicEntry) <= dynamic_.p_filesz; used += sizeof(DynamicEntry)) {
      const auto entry = ReadAt<DynamicEntry>(*at + used);
      if (!entry) break;
      if (entry->d_tag == DT_NULL) return "";
      for (const BannedTag& banned : kBannedTags) {
        if (entry->d_tag == banned.tag) return banned.why;
      }
      if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL) != 0) return "has text relocations";
      if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_STATIC_TLS) != 0) return "has thread-local storage";
      if (entry->d_tag == DT_FLAGS_1 && (entry->d_un.d_val & DF_1_NODELETE) != 0) return "refuses to be unloaded";
      if (std::find(std::begin(kKnownTags), std::end(kKnownTags), entry->d_tag) == std::end(kKnownTags)) {
        return fmt::format("has a dynamic entry {}, which no kernel needs", entry->d_tag);
      }
      entries_.push_back(*entry);
    }
    return "has a dynamic section without an end";
  }

  std::optional<uint64_t> Tag(int64_t tag) const {
    for (const DynamicEntry& entry : entries_) {
      if (entry.d_tag == tag) return entry.d_un.d_val;
    }
    return std::nullopt;
  }

  std::string FindSymbols() {
    const auto text = Tag(DT_STRTAB), size = Tag(DT_STRSZ), table = Tag(DT_SYMTAB), hash = Tag(DT_GNU_HASH);
    if (!text || !size || !table || !hash) return "has no symbol table with its GNU hash";
    const auto at = OffsetOf(*text, *size);
    if (!at || *size == 0 || elf_[*at + *size - 1] != 0) return "has a damaged string table";
    names_ = elf_.substr(*at, *size);
    symbol_table_ = *table;
    return CountSymbols(*hash) ? "" : "has a damaged hash of its symbols";
  }

  // Only the hash table tells the symbol table's length: its last chain ends at the last symbol.
  bool CountSymbols(uint64_t hash) {
    struct Header {
      uint32_t buckets, first, bloom_words, bloom_shift;
    };
    const auto header = ReadMemory<Header>(hash);
    if (!header || header->first == 0 || header->first > kMostSymbols) return false;
    const uint64_t buckets = hash + sizeof(Header) + uint64_t{header->bloom_words} * sizeof(Address);
    const uint64_t chains = buckets + uint64_t{header->buckets} * 4;
    if (!OffsetOf(buckets, uint64_t{header->buckets} * 4)) return false;
    uint32_t last = 0;
    for (uint32_t i = 0; i < header->buckets; ++i) {
      const auto bucket = ReadMemory<uint32_t>(buckets + uint64_t{i} * 4);
      if (!bucket || (*bucket != 0 && *bucket < header->first)) return false;
      last = std::max(last, *bucket);
    }
    first_exported_ = symbol_count_ = header->first;
    if (last == 0) return true;
    for (uint32_t i = last; i < kMostSymbols; ++i) {
      const auto chain = ReadMemory<uint32_t>(chains + uint64_t{i - header->first} * 4);
      if (!chain) return false;
      symbol_count_ = i + 1;
      if ((*chain & 1) != 0) return true;
    }
    return false;
  }

  std::string ReadSymbols() {
    for (uint32_t i = 1; i < symbol_count_; ++i) {
      const auto symbol = ReadMemory<SymbolEntry>(symbol_table_ + i * sizeof(SymbolEntry));
      if (!symbol || symbol->st_name >= names_.size()) return "has a damaged symbol table";
      if (std::string rule = ReadSymbol(*symbol, i >= first_exported_); !rule.empty()) return rule;
      addresses_.push_back(symbol->st_value);
    }
    return "";
  }

  std::string ReadSymbol(const SymbolEntry& symbol, bool exported) {
    const int type = ELF64_ST_TYPE(symbol.st_info);
    if (type == STT_GNU_IFUNC) return "has an ifunc";
    if (type == STT_TLS) return "has thread-local storage";
    if (symbol.st_shndx == SHN_UNDEF) return "imports a symbol";
    if (symbol.st_shndx >= SHN_LORESERVE) return "has a symbol outside its sections";
    const std::string_view name(names_.data() + symbol.st_name);
    if (type != STT_FUNC && type != STT_OBJECT) {
      return type <= STT_FILE ? "" : fmt::format("has a symbol of the unknown type {}", type);
    }
    const ElfImage::Segment* segment = SegmentOf(symbol.st_value, 1);
    const bool function = type == STT_FUNC;
    if (function && (segment == nullptr || !segment->executable)) return "has a function outside its code";
    if (!exported || segment == nullptr) return "";
    image_.symbols.push_back(
        {name, symbol.st_value, segment->file_bytes - (symbol.st_value - segment->address), function});
    return "";
  }

  std::string ReadRelocation(const RelocationEntry& relocation) {
    const uint32_t type = TypeOf(relocation);
    if (type == kIrelative) return "has an ifunc";
    if (type == kNone) return "";
    uint64_t value = static_cast<uint64_t>(relocation.r_addend);
    if (type != kRelative) {
      if (std::find(std::begin(kToSymbol), std::end(kToSymbol), type) == std::end(kToSymbol)) {
        return fmt::format("has a relocation of the type {}, which no kernel needs", type);
      }
      const uint64_t symbol = SymbolOf(relocation);
      if (symbol == 0 || symbol > addresses_.size()) return "has a relocation to a symbol outside its table";
      value += addresses_[symbol - 1];
    }
    const ElfImage::Segment* segment = SegmentOf(relocation.r_offset, sizeof(Address));
    if (segment == nullptr || !segment->writable) return "has a relocation outside its data";
    image_.relocations.push_back({relocation.r_offset, value});
    return "";
  }

  std::string ReadRelocations() {
    const std::pair<int64_t, int64_t> tables[] = {{DT_RELA, DT_RELASZ}, {DT_JMPREL, DT_PLTRELSZ}};
    for (const auto& [table, size_tag] : tables) {
      const auto address = Tag(table), size = Tag(size_tag);
      if (!address && !size) continue;
      if (!address || !size || !OffsetOf(*address, *size)) return "has its relocations outside its segments";
      for (uint64_t used = 0; used + sizeof(RelocationEntry) <= *size; used += sizeof(RelocationEntry)) {
        const auto relocation = ReadMemory<RelocationEntry>(*address + used);
        if (!relocation) return "has its relocations beyond its end";
        if (std::string rule = ReadRelocation(*relocation); !rule.empty()) return rule;
      }
    }
    return "";
  }

  std::string_view elf_;
  ElfImage& image_;
  const uint64_t page_ = std::max(kLeastPage, static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
  uint64_t end_ = 0;  // of the last segment's last page
  FileHeader header_{};
  ProgramHeader dynamic_{};
  bool has_dynamic_ = false, has_stack_ = false;
  std::vector<DynamicEntry> entries_;
  std::string_view names_;
  uint64_t symbol_table_ = 0;
  uint32_t first_exported_ = 0, symbol_count_ = 0;
  std::vector<uint64_t> addresses_;  // of the symbols from the second on
};

}  // namespace

std::string ReadElf(std::string_view elf, ElfImage* image) {
  *image = ElfImage();
  return Reader(elf, image).Read();
}

std::string CheckElf(std::string_view elf) {
  ElfImage image;
  return ReadElf(elf, &image);
}

}  // namespace hone

#include "runtime/load/check_elf.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "core/error.h"
#include "core/random.h"
#include "runtime/kernel_launch.h"
#include "tests/runtime/test_package.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using testing::ReadFile;
using testing::ReadTestKernels;
using ::testing::StartsWith;

std::string BadKernel(const std::string& rule) {
  const std::string elf = ReadFile(std::string(HONE_BAD_KERNELS) + "/libhone_bad_kernel_" + rule + ".so");
  EXPECT_FALSE(elf.empty());
  return elf;
}

// The object with each of its program headers changed.
std::string WithSegments(std::string elf, const std::function<void(Elf64_Phdr&)>& change) {
  Elf64_Ehdr header;
  std::memcpy(&header, elf.data(), sizeof(header));
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    char* at = elf.data() + header.e_phoff + i * sizeof(segment);
    std::memcpy(&segment, at, sizeof(segment));
    change(segment);
    std::memcpy(at, &segment, sizeof(segment));
  }
  return elf;
}

// The object with every symbol that has a name changed.
std::string WithSymbols(std::string elf, const std::function<void(Elf64_Sym&)>& change) {
  Elf64_Ehdr header;
  std::memcpy(&header, elf.data(), sizeof(header));
  for (uint16_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, elf.data() + header.e_shoff + i * sizeof(section), sizeof(section));
    if (section.sh_type != SHT_DYNSYM) continue;
    for (uint64_t at = section.sh_offset; at < section.sh_offset + section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, elf.data() + at, sizeof(symbol));
      if (symbol.st_name != 0) change(symbol);
      std::memcpy(elf.data() + at, &symbol, sizeof(symbol));
    }
  }
  return elf;
}

TEST(CheckElf, AKernelPasses) { EXPECT_EQ(CheckElf(ReadTestKernels()), ""); }

TEST(CheckElf, NamesTheRuleThatIsBroken) {
  EXPECT_THAT(CheckElf(BadKernel("CONSTRUCTOR")), HasSubstr("constructor"));
  EXPECT_THAT(CheckElf(BadKernel("TLS")), HasSubstr("thread-local"));
  EXPECT_THAT(CheckElf(BadKernel("IMPORT")), HasSubstr("imports a symbol"));
  EXPECT_THAT(CheckElf(BadKernel("IFUNC")), HasSubstr("ifunc"));
  EXPECT_THAT(CheckElf(BadKernel("STAGE")), HasSubstr("ifunc"));
  EXPECT_THAT(CheckElf(BadKernel("NEEDED")), HasSubstr("needs another library"));
  EXPECT_THAT(CheckElf(BadKernel("EXECSTACK")), HasSubstr("executable stack"));
  EXPECT_NE(CheckElf(BadKernel("RWX")), "");
  EXPECT_THAT(CheckElf("#!/bin/sh"), HasSubstr("not an ELF"));
  EXPECT_THAT(CheckElf(""), HasSubstr("not an ELF"));
}

// A loader maps whole pages: if two segments share a page, the second hides what was read from the first.
TEST(CheckElf, SegmentsThatShareAPageAreRefused) {
  const std::string elf = ReadFile(HONE_RELOCATED_KERNEL);
  ASSERT_EQ(CheckElf(elf), "");
  uint64_t end = 0;  // end of the last segment
  WithSegments(elf, [&](Elf64_Phdr& segment) {
    if (segment.p_type == PT_LOAD) end = segment.p_vaddr + segment.p_memsz;
  });
  const std::string touching = WithSegments(elf + std::string(0x10000, '\0'), [&](Elf64_Phdr& segment) {
    if (segment.p_type != PT_GNU_RELRO) return;
    const uint64_t begin = (end - 1) / 16 * 16 + 16;
    const uint64_t in_page = begin % 0x1000;
    ASSERT_NE(in_page, 0u) << "the last segment ends with its page";
    segment = {PT_LOAD, PF_R, 0x4000 + in_page, begin, begin, 16, 16, 0x1000};
  });
  EXPECT_THAT(CheckElf(touching), HasSubstr("share a page"));
  const std::string misaligned = WithSegments(elf, [](Elf64_Phdr& segment) { segment.p_align = 16; });
  EXPECT_THAT(CheckElf(misaligned), HasSubstr("misaligned"));
}

TEST(CheckElf, SymbolsAreFunctionsInCodeOrData) {
  const std::string elf = ReadTestKernels();
  const auto with_type = [&](unsigned char type) {
    return WithSymbols(elf, [type](Elf64_Sym& symbol) { symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, type); });
  };
  EXPECT_EQ(CheckElf(WithSymbols(elf, [](Elf64_Sym&) {})), "");
  EXPECT_THAT(CheckElf(with_type(STT_GNU_IFUNC)), HasSubstr("ifunc"));
  EXPECT_THAT(CheckElf(with_type(STT_TLS)), HasSubstr("thread-local"));
  // hone_kernels, which is data, is declared a function.
  EXPECT_THAT(CheckElf(with_type(STT_FUNC)), HasSubstr("function outside its code"));
  const auto with_value = [&](uint64_t value) {
    return WithSymbols(elf, [value](Elf64_Sym& symbol) { symbol.st_value = value; });
  };
  uint64_t data = 0;
  WithSegments(elf, [&](Elf64_Phdr& segment) {
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) == 0) data = segment.p_vaddr;
  });
  ASSERT_NE(data, 0U);
  for (const uint64_t value : {uint64_t{0}, data, uint64_t{1} << 40, ~uint64_t{0}}) {
    EXPECT_THAT(CheckElf(with_value(value)), HasSubstr("function outside its code")) << value;
  }
  const std::string imported = WithSymbols(elf, [](Elf64_Sym& symbol) { symbol.st_shndx = SHN_UNDEF; });
  EXPECT_THAT(CheckElf(imported), HasSubstr("imports a symbol"));
}

TEST(CheckElf, AnotherMachineIsRefused) {
  std::string elf = ReadTestKernels();
  elf[18] = 8;  // e_machine: MIPS
  EXPECT_THAT(CheckElf(elf), HasSubstr("ELF machine"));
}

TEST(CheckElf, CutOrFlippedBytesNeverCrashIt) {
  const std::string elf = ReadTestKernels();
  for (size_t size = 0; size < elf.size(); size += 7) CheckElf(std::string_view(elf).substr(0, size));
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = elf;
    for (int k = 0; k < 3; ++k) damaged[random.Below(elf.size())] = static_cast<char>(random.Below(256));
    CheckElf(damaged);
  }
  for (size_t i = 0; i < 1024 && i < elf.size(); ++i) {
    std::string damaged = elf;
    damaged[i] = static_cast<char>(0xff);
    CheckElf(damaged);
  }
}

TEST(KernelLibrary, FindsFunctionsAndNamesThoseItLacks) {
  const KernelLibrary library = KernelLibrary::FromBytes(ReadTestKernels(), "test");
  EXPECT_NE(library.Find("scale"), nullptr);
  EXPECT_THROW(library.Find("no_such_kernel"), Error);
}

TEST(KernelLibrary, RefusesWhatTheCheckRefuses) {
  EXPECT_THROW(KernelLibrary::FromBytes(BadKernel("CONSTRUCTOR"), "test"), Error);
}

TEST(KernelLibrary, LibrariesKeepTheirOwnMemory) {
  KernelLibrary kept = KernelLibrary::FromBytes(ReadTestKernels(), "first");
  for (int i = 0; i < 3; ++i) {
    KernelLibrary next = KernelLibrary::FromBytes(ReadTestKernels(), "next");
    EXPECT_NE(next.Find("scale"), kept.Find("scale"));
    kept = std::move(next);
  }
  EXPECT_THAT(kept.Text("hone_kernels"), StartsWith("["));
  EXPECT_EQ(kept.Text("scale"), "");
  EXPECT_THROW(kept.Find("hone_kernels"), Error);
}

TEST(KernelLibrary, RelocatesPointersToDataAndFunctions) {
  const std::string elf = ReadFile(HONE_RELOCATED_KERNEL);
  const KernelLibrary library = KernelLibrary::FromBytes(elf, "test");
  const hone_kernel_args args{};
  EXPECT_EQ(library.Find("relocated")(&args, 0, 1), 5543);
}

TEST(KernelLibrary, DamagedBytesAreMappedOrRefused) {
  const std::string elf = ReadFile(HONE_RELOCATED_KERNEL);
  Random random(2);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = elf;
    for (int k = 0; k < 2; ++k) damaged[random.Below(0x400)] ^= static_cast<char>(1 << random.Below(8));
    try {
      KernelLibrary::FromBytes(damaged, "damaged");
    } catch (const Error&) {
      // The bytes are refused, or too large for this machine.
    }
  }
}

}  // namespace
}  // namespace hone

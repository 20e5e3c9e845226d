#include "runtime/check_elf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/random.h"
#include "runtime/kernel_launch.h"
#include "tests/runtime/test_package.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using testing::ReadFile;
using testing::ReadTestKernels;

std::string BadKernel(const std::string& rule) {
  const std::string elf = ReadFile(std::string(HONE_BAD_KERNELS) + "/libhone_bad_kernel_" + rule + ".so");
  EXPECT_FALSE(elf.empty());
  return elf;
}

TEST(CheckElf, AKernelPasses) { EXPECT_EQ(CheckElf(ReadTestKernels()), ""); }

TEST(CheckElf, NamesTheRuleThatIsBroken) {
  EXPECT_THAT(CheckElf(BadKernel("CONSTRUCTOR")), HasSubstr("constructor"));
  EXPECT_THAT(CheckElf(BadKernel("TLS")), HasSubstr("thread-local"));
  EXPECT_THAT(CheckElf(BadKernel("IMPORT")), HasSubstr("imports a symbol"));
  EXPECT_THAT(CheckElf(BadKernel("IFUNC")), HasSubstr("ifunc"));
  EXPECT_THAT(CheckElf(BadKernel("NEEDED")), HasSubstr("needs another library"));
  EXPECT_THAT(CheckElf(BadKernel("EXECSTACK")), HasSubstr("executable stack"));
  EXPECT_NE(CheckElf(BadKernel("RWX")), "");
  EXPECT_THAT(CheckElf("#!/bin/sh"), HasSubstr("not an ELF"));
  EXPECT_THAT(CheckElf(""), HasSubstr("not an ELF"));
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

TEST(KernelLibrary, LibrariesOneAfterTheOtherAreNotMistaken) {
  // The loader knows objects by path: a descriptor number that is used again must not bring the old object back.
  KernelLibrary kept = KernelLibrary::FromBytes(ReadTestKernels(), "first");
  for (int i = 0; i < 3; ++i) {
    KernelLibrary next = KernelLibrary::FromBytes(ReadTestKernels(), "next");
    EXPECT_NE(next.Find("scale"), kept.Find("scale"));
    kept = std::move(next);
  }
}

}  // namespace
}  // namespace hone

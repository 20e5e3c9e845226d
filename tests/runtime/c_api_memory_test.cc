// The memory that the C API reads and writes: bound by the caller, from an allocator, or of a package.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/hone.h"
#include "tests/runtime/c_api_fixture.h"
#include "tests/runtime/test_package.h"

namespace {

using hone::testing::CApiTest;
using hone::testing::Floats;
using hone::testing::kBytes;
using hone::testing::Values;
using ::testing::HasSubstr;

TEST_F(CApiTest, RunsInBoundMemoryWithoutCopies) {
  const Floats first = Values(1), second = Values(2);
  Floats y(first.size()), z(first.size());
  ASSERT_EQ(hone_session_bind_input(session_, 0, first.data(), kBytes), HONE_OK) << hone_error_text();
  ASSERT_EQ(hone_session_bind_output(session_, 0, y.data(), kBytes), HONE_OK) << hone_error_text();
  ASSERT_EQ(hone_session_run(session_), HONE_OK);
  EXPECT_EQ(y, hone::testing::ExpectedOutput(first));
  ASSERT_EQ(hone_session_bind_input(session_, 0, second.data(), kBytes), HONE_OK);
  ASSERT_EQ(hone_session_run(session_), HONE_OK);
  EXPECT_EQ(y, hone::testing::ExpectedOutput(second));
  ASSERT_EQ(hone_session_get_output(session_, 0, z.data(), kBytes), HONE_OK);
  EXPECT_EQ(z, y);

  // The session uses its own memory again and leaves the bound memory alone.
  const Floats before = y;
  ASSERT_EQ(hone_session_set_input(session_, 0, first.data(), kBytes), HONE_OK);
  ASSERT_EQ(hone_session_bind_output(session_, 0, nullptr, 0), HONE_OK);
  ASSERT_EQ(hone_session_run(session_), HONE_OK);
  EXPECT_EQ(y, before);
  EXPECT_EQ(second, Values(2)) << "set_input wrote into bound memory";
  ASSERT_EQ(hone_session_get_output(session_, 0, z.data(), kBytes), HONE_OK);
  EXPECT_EQ(z, hone::testing::ExpectedOutput(first));
}

TEST_F(CApiTest, RunsWithMemoryThatIsBoundForOneRun) {
  EXPECT_EQ(hone_package_output_is_counted(package_, 0), 0);
  Floats x = Values(1), y(x.size()), own(x.size());
  const hone_memory in{x.data(), kBytes}, out{y.data(), kBytes};
  ASSERT_EQ(hone_session_run_with(session_, &in, 1, &out, 1), HONE_OK) << hone_error_text();
  EXPECT_EQ(y, hone::testing::ExpectedOutput(x));
  EXPECT_EQ(x, Values(1));

  // A later run neither reads nor writes the memory given to this one.
  const Floats before = y, second = Values(2);
  ASSERT_EQ(hone_session_set_input(session_, 0, second.data(), kBytes), HONE_OK);
  EXPECT_EQ(x, Values(1));
  ASSERT_EQ(hone_session_run(session_), HONE_OK);
  EXPECT_EQ(y, before);
  ASSERT_EQ(hone_session_get_output(session_, 0, own.data(), kBytes), HONE_OK);
  EXPECT_EQ(own, hone::testing::ExpectedOutput(second));
  // Inputs that are not given come from the session's own memory.
  ASSERT_EQ(hone_session_run_with(session_, nullptr, 0, &out, 1), HONE_OK) << hone_error_text();
  EXPECT_EQ(y, own);
}

TEST_F(CApiTest, BindsNothingWhenARunWithMemoryIsRefused) {
  Floats memory(2 * hone::testing::kTestElements, 1), y(hone::testing::kTestElements);
  const hone_memory in{memory.data(), kBytes}, overlapping{memory.data() + 1, kBytes}, small{y.data(), 4},
      out{memory.data() + hone::testing::kTestElements, kBytes};
  EXPECT_EQ(hone_session_run_with(session_, &in, 1, &overlapping, 1), HONE_USAGE);
  EXPECT_THAT(hone_error_text(), HasSubstr("the memory of 'y' overlaps that of 'x'"));
  EXPECT_EQ(hone_session_run_with(session_, &in, 1, &small, 1), HONE_USAGE);
  EXPECT_THAT(hone_error_text(), HasSubstr("'y': 4 bytes were given"));
  const hone_memory two[] = {in, in};
  EXPECT_EQ(hone_session_run_with(session_, two, 2, &out, 1), HONE_USAGE);
  EXPECT_EQ(hone_session_run_with(session_, nullptr, 1, &out, 1), HONE_USAGE);
  EXPECT_EQ(hone_session_run_with(nullptr, &in, 1, &out, 1), HONE_USAGE);
  // This binding would fail if an earlier call had left an input bound there.
  ASSERT_EQ(hone_session_bind_output(session_, 0, memory.data(), kBytes), HONE_OK) << hone_error_text();
}

TEST_F(CApiTest, BindsUnalignedMemory) {
  const Floats x = Values(3);
  std::vector<char> in(kBytes + 1), out(kBytes + 3);
  std::memcpy(in.data() + 1, x.data(), kBytes);
  ASSERT_EQ(hone_session_bind_input(session_, 0, in.data() + 1, kBytes), HONE_OK);
  ASSERT_EQ(hone_session_bind_output(session_, 0, out.data() + 3, kBytes), HONE_OK);
  ASSERT_EQ(hone_session_run(session_), HONE_OK);
  Floats y(x.size());
  std::memcpy(y.data(), out.data() + 3, kBytes);
  EXPECT_EQ(y, hone::testing::ExpectedOutput(x));
}

TEST_F(CApiTest, RefusesWhatCannotBeBound) {
  Floats memory(2 * hone::testing::kTestElements);
  EXPECT_EQ(hone_session_bind_input(session_, 0, memory.data(), 4), HONE_USAGE);
  EXPECT_THAT(hone_error_text(), HasSubstr("'x': 4 bytes were given; 16384 would be right"));
  EXPECT_EQ(hone_session_bind_output(session_, 1, memory.data(), kBytes), HONE_USAGE);
  ASSERT_EQ(hone_session_bind_input(session_, 0, memory.data(), kBytes), HONE_OK);
  EXPECT_EQ(hone_session_bind_output(session_, 0, memory.data() + 100, kBytes), HONE_USAGE);
  EXPECT_THAT(hone_error_text(), HasSubstr("the memory of 'y' overlaps that of 'x'"));
  EXPECT_EQ(hone_session_bind_output(session_, 0, memory.data() + hone::testing::kTestElements, kBytes), HONE_OK);
}

struct Ledger {
  size_t given = 0, back = 0, most = ~size_t{0};
  size_t off = 0;  // bytes beyond the alignment that was asked for
};
void* Allocate(void* user, size_t size_bytes, size_t alignment) {
  auto& ledger = *static_cast<Ledger*>(user);
  if (ledger.given + size_bytes > ledger.most) return nullptr;
  ledger.given += size_bytes;
  const size_t whole = (size_bytes + 2 * alignment - 1) / alignment * alignment;
  char* memory = static_cast<char*>(std::aligned_alloc(alignment, whole));
  std::memset(memory, 0x7f, whole);
  return memory + ledger.off;
}
void Release(void* user, void* memory, size_t size_bytes) {
  auto& ledger = *static_cast<Ledger*>(user);
  ledger.back += size_bytes;
  std::free(static_cast<char*>(memory) - ledger.off);
}

TEST_F(CApiTest, TakesItsMemoryFromAnAllocator) {
  Ledger ledger;
  const hone_allocator allocator = {&ledger, Allocate, Release};
  const hone_session_options options = {sizeof(options), 2, 0, &allocator};
  hone_session* session = nullptr;
  ASSERT_EQ(hone_session_create_with(package_, &options, &session), HONE_OK) << hone_error_text();
  EXPECT_EQ(hone_session_threads(session), 2);
  EXPECT_EQ(hone_session_memory_bytes(session), ledger.given);
  EXPECT_GE(ledger.given, 2 * kBytes);
  const Floats x = Values(5);
  Floats y(x.size());
  ASSERT_EQ(hone_session_set_input(session, 0, x.data(), kBytes), HONE_OK);
  ASSERT_EQ(hone_session_run(session), HONE_OK);
  ASSERT_EQ(hone_session_get_output(session, 0, y.data(), kBytes), HONE_OK);
  EXPECT_EQ(y, hone::testing::ExpectedOutput(x));
  hone_session_free(session);
  EXPECT_EQ(ledger.back, ledger.given);
}

TEST_F(CApiTest, GivesBackWhatAnAllocatorGaveWhenThereIsNoMore) {
  Ledger ledger;
  ledger.most = kBytes + 64;
  const hone_allocator allocator = {&ledger, Allocate, Release};
  hone_session_options options = {sizeof(options), 1, 0, &allocator};
  hone_session* session = nullptr;
  EXPECT_EQ(hone_session_create_with(package_, &options, &session), HONE_IO);
  EXPECT_THAT(hone_error_text(), HasSubstr("the allocator gave no memory of"));
  EXPECT_EQ(session, nullptr);
  EXPECT_EQ(ledger.back, ledger.given);

  ledger = {};
  ledger.off = 4;
  EXPECT_EQ(hone_session_create_with(package_, &options, &session), HONE_USAGE);
  EXPECT_THAT(hone_error_text(), HasSubstr("4 bytes after a multiple of 64"));
  EXPECT_EQ(ledger.back, ledger.given);

  const hone_allocator half = {nullptr, Allocate, nullptr};
  options.allocator = &half;
  EXPECT_EQ(hone_session_create_with(package_, &options, &session), HONE_USAGE);
}

// Pages of a file that no process has written to are the same memory in every process that maps it.
TEST_F(CApiTest, HoldsNoMemoryOfItsOwnForAPackagesFile) {
  ASSERT_EQ(hone_package_verify(package_), HONE_OK);
  ASSERT_EQ(hone_session_run(session_), HONE_OK);
  std::ifstream maps("/proc/self/smaps");
  bool ours = false;
  int mappings = 0, kilobytes = 0, own = 0;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string name;
    int value = 0;
    words >> name >> value;
    if (!name.ends_with(":")) {
      ours = line.ends_with(path_);
      mappings += ours;
    }
    if (ours && name == "Rss:") kilobytes += value;
    if (ours && name == "Anonymous:") own += value;  // pages that are copies instead of the file's
  }
  EXPECT_EQ(mappings, 1);
  EXPECT_GT(kilobytes, 0);
  EXPECT_EQ(own, 0);
}

TEST_F(CApiTest, LoadsFromMemoryWithoutACopy) {
  const std::string file = hone::testing::TestPackage();
  std::vector<char> memory(file.size() + 128);
  char* const bytes = memory.data() + 64 - reinterpret_cast<uintptr_t>(memory.data()) % 64;
  std::memcpy(bytes, file.data(), file.size());
  hone_package* package = nullptr;
  EXPECT_EQ(hone_package_load_memory(bytes + 1, file.size(), &package), HONE_USAGE);
  EXPECT_EQ(hone_package_load_memory(bytes, 100, &package), HONE_BAD_DATA);
  EXPECT_EQ(package, nullptr);
  ASSERT_EQ(hone_package_load_memory(bytes, file.size(), &package), HONE_OK) << hone_error_text();
  EXPECT_EQ(hone_package_verify(package), HONE_OK);
  hone_session* session = nullptr;
  ASSERT_EQ(hone_session_create(package, 1, &session), HONE_OK);
  const Floats x = Values(7);
  Floats y(x.size());
  ASSERT_EQ(hone_session_set_input(session, 0, x.data(), kBytes), HONE_OK);
  ASSERT_EQ(hone_session_run(session), HONE_OK);
  ASSERT_EQ(hone_session_get_output(session, 0, y.data(), kBytes), HONE_OK);
  EXPECT_EQ(y, hone::testing::ExpectedOutput(x));
  // A changed byte shows that the parameters are read in place.
  bytes[hone::testing::PlaceOf(file, 3).offset] ^= 1;
  EXPECT_EQ(hone_package_verify(package), HONE_BAD_DATA);
  hone_session_free(session);
  hone_package_free(package);
}

}  // namespace

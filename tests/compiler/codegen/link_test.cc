#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/IR/Module.h>
#include <sys/resource.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/target/host.h"
#include "compiler/codegen/target/object.h"
#include "core/error.h"
#include "runtime/kernel_launch.h"

namespace hone {
namespace {

std::string ObjectWith(const std::string& symbol, const std::string& callee = "") {
  const Target target = HostTarget();
  KernelBuilder b(target, MachineModelFor(target));
  b.Stage(symbol, [&](const StageArgs&) {
    if (callee.empty()) return;
    b.ir().CreateCall(b.module().getOrInsertFunction(callee, llvm::FunctionType::get(b.i32(), false)));
  });
  return EmitObject(b, target);
}

TEST(LinkShared, PutsSeveralObjectsIntoOneLibrary) {
  const KernelLibrary library =
      KernelLibrary::FromBytes(LinkShared({ObjectWith("first"), ObjectWith("second")}, HostTarget()), "test");
  EXPECT_NE(library.Find("first"), nullptr);
  EXPECT_NE(library.Find("second"), nullptr);
  EXPECT_THROW(library.Find("third"), Error);
}

TEST(LinkShared, GivesTheSameBytesForTheSameObjects) {
  const std::vector<std::string> objects{ObjectWith("k")};
  EXPECT_EQ(LinkShared(objects, HostTarget()), LinkShared(objects, HostTarget()));
}

TEST(LinkShared, FailsOnAnUndefinedSymbolAndWorksAfterwards) {
  try {
    LinkShared({ObjectWith("k", "expf")}, HostTarget());
    FAIL() << "expf is nowhere defined";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("expf"));
  }
  EXPECT_FALSE(LinkShared({ObjectWith("k")}, HostTarget()).empty());
}

TEST(LinkShared, RefusesWhatIsNoObject) { EXPECT_THROW(LinkShared({"not an ELF file"}, HostTarget()), Error); }

TEST(LinkShared, NeedsNoFolder) {
  const char* before = std::getenv("TMPDIR");
  const std::string folder = before == nullptr ? "" : before;
  setenv("TMPDIR", "/nonexistent", 1);
  EXPECT_NO_THROW(LinkShared({ObjectWith("k")}, HostTarget()));
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", folder.c_str(), 1);
}

TEST(LinkShared, TakesWhatIsLongerThanAPipe) {
  const std::string text(size_t{3} << 20, 'x');
  const std::string elf = LinkShared({EmitText("text", text, HostTarget())}, HostTarget());
  EXPECT_EQ(KernelLibrary::FromBytes(elf, "test").Text("text"), text);
}

TEST(LinkShared, SaysWhatTheSystemRefuses) {
  const std::string object = ObjectWith("k");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  try {
    LinkShared({object}, HostTarget());
    ADD_FAILURE() << "it was linked without a descriptor";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kIo);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("Too many open files"));
  }
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_FALSE(LinkShared({object}, HostTarget()).empty());
}

TEST(EmitObject, IsTheSameFromManyThreads) {
  const std::string expected = ObjectWith("k");
  std::vector<std::string> got(4);
  std::vector<std::thread> threads;
  for (std::string& slot : got) {
    threads.emplace_back([&slot] {
      slot = ObjectWith("k");
      LinkShared({slot}, HostTarget());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& object : got) EXPECT_EQ(object, expected);
}

}  // namespace
}  // namespace hone

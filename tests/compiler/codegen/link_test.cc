#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/IR/Module.h>

#include <thread>

#include "compiler/codegen/host.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/object.h"
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

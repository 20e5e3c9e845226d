// Packages whose graph was changed and whose hashes were recomputed: each is refused, or its kernels stay inside their
// buffers.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <ostream>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/plan/package_writer.h"
#include "compiler/relay/infer_type.h"
#include "core/error.h"
#include "runtime/session.h"
#include "tests/compiler/frontend/model_maker.h"
#include "tests/end_to_end/craft_graph.h"
#include "tests/end_to_end/guarded_calls.h"
#include "tests/end_to_end/run_model.h"

namespace hone {
namespace {

constexpr unsigned kHangSeconds = 60;

// Rows gathered by ids, halves, a product of two computed matrices and a softmax, for two images.
relay::IRModule AttentionModule() {
  ModelMaker maker;
  maker.IntegerInput("ids", onnx::TensorProto::INT32, {2, 5});
  maker.Filled("table", {11, 24}, 0.5F);
  maker.Node("Gather", {"table", "ids"}, {"rows"});
  maker.Node("Split", {"rows"}, {"q", "k", "v"}, {{"axis", int64_t{2}}});
  maker.Node("Transpose", {"k"}, {"kt"}, {{"perm", std::vector<int64_t>{0, 2, 1}}});
  maker.Node("MatMul", {"q", "kt"}, {"scores"});
  maker.Node("Softmax", {"scores"}, {"shares"}, {{"axis", int64_t{-1}}});
  maker.Node("MatMul", {"shares", "v"}, {"mixed"});
  maker.Node("Concat", {"mixed", "rows"}, {"out"}, {{"axis", int64_t{2}}});
  maker.Output("out").Output("shares");
  return relay::InferType(ImportOnnxBytes(maker.Bytes(), "attention").module);
}

struct Subject {
  const char* name;
  relay::IRModule (*make)();
};

void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }

struct Tally {
  int next = 0, ran = 0, strayed = 0;
};

// Shared memory, because the children that write it may die at any point.
Tally& SharedTally() {
  void* memory = mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return *new (memory) Tally;
}

int Mutations() {
  const char* asked = std::getenv("HONE_MUTATIONS");
  return asked != nullptr ? std::atoi(asked) : 100;
}

class CraftedPackage : public testing::TestWithParam<Subject> {
 protected:
  CraftedPackage()
      : built_(Build(GetParam().make(), HostBuild())), whole_(Package::FromBytes(built_.package, "whole")) {}

  std::string Crafted(int seed) const {
    Random random(static_cast<uint64_t>(seed));
    const Json graph = CraftGraph(ToJson(built_.plan), random);
    return WritePackage(PlanFromJson(graph), std::string(whole_->lib()), ParamBytes(whole_->params()));
  }

  void Try(int seed, Tally& tally) const {
    alarm(kHangSeconds);
    try {
      const auto package = Package::FromBytes(Crafted(seed), "crafted");
      Session(package, {.threads = 1 + seed % 2}).Run();
      ++tally.ran;
      tally.strayed += !RunGuardedCalls(*package);
    } catch (const Error&) {  // the package is refused
    }
  }

  // The number of children that died; prints their seeds.
  int RunAll(Tally& tally) const {
    int crashes = 0;
    while (tally.next < Mutations()) {
      const pid_t child = fork();
      if (child < 0) {
        ADD_FAILURE() << "no process";
        break;
      }
      if (child == 0) {
        for (int n = 0; n < 50 && tally.next < Mutations(); ++n) Try(tally.next++, tally);
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      if (status == 0) continue;
      ++crashes;
      ADD_FAILURE() << "mutation " << tally.next - 1 << " ended with status " << status;
    }
    return crashes;
  }

  const BuildResult built_;
  const std::shared_ptr<const Package> whole_;
};

TEST_P(CraftedPackage, IsRefusedOrStaysInsideItsBuffers) {
  Tally& tally = SharedTally();
  EXPECT_EQ(RunAll(tally), 0);
  EXPECT_EQ(tally.strayed, 0);
  RecordProperty("ran", tally.ran);
  EXPECT_GT(tally.ran, 0) << "changes that do no harm are accepted";
  EXPECT_LT(tally.ran, Mutations());
}

INSTANTIATE_TEST_SUITE_P(
    Models, CraftedPackage,
    testing::Values(Subject{"attention", AttentionModule},
                    Subject{"squeezenet", [] { return ZooModule("squeezenet", {3, 32, 32}, 2, 10); }},
                    Subject{"mobilenet_v2", [] { return ZooModule("mobilenet_v2", {3, 32, 32}, 1, 10); }}),
    [](const auto& subject) { return std::string(subject.param.name); });

}  // namespace
}  // namespace hone

// Tests that hone_random_graphs finds the faults for which it exists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "compiler/build.h"
#include "compiler/codegen/target/host.h"
#include "compiler/passes/passes.h"
#include "compiler/plan/lower.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "core/error.h"
#include "runtime/package.h"
#include "tests/random_graphs/graph_report.h"
#include "tests/random_graphs/guarded_run.h"
#include "tests/random_graphs/judged_outputs.h"
#include "tests/random_graphs/onnx_graph_bytes.h"
#include "tests/random_graphs/random_graph.h"
#include "tests/random_graphs/shrink_graph.h"
#include "tests/random_graphs/watched_checks.h"
#include "tests/support/emulated_program.h"

namespace hone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

OnnxNode NodeOf(const std::string& op, const std::vector<std::string>& inputs, const std::string& output) {
  OnnxNode node;
  node.name = output;
  node.op_type = op;
  node.inputs = inputs;
  node.outputs = {output};
  return node;
}

OnnxGraph GraphOf(const std::vector<OnnxNode>& nodes, const Shape& shape) {
  OnnxGraph graph;
  graph.opset = 17;
  OnnxInput input;
  input.name = "x";
  input.has_shape = true;
  for (const int64_t dim : shape) input.dims.push_back({dim, ""});
  graph.inputs = {input};
  graph.nodes = nodes;
  graph.outputs = {nodes.back().outputs[0]};
  return graph;
}

relay::ExprPtr InputOf(const Shape& shape) { return relay::MakeVar("x", relay::TensorType(shape, DType::kFloat32)); }

relay::IRModule ModuleOf(const relay::ExprPtr& input, const relay::ExprPtr& body) {
  relay::IRModule module;
  module.main = std::make_shared<relay::Function>(
      std::vector<std::shared_ptr<const relay::Var>>{std::static_pointer_cast<const relay::Var>(input)}, body);
  return relay::InferType(module);
}

std::map<std::string, Tensor> Inputs(const Shape& shape) {
  Tensor x(DType::kFloat32, shape);
  FillTensor(x, Fill::kNormal, 3);
  return {{"x", x}};
}

TEST(RandomGraph, IsWhatItsSeedSays) {
  EXPECT_EQ(OnnxBytes(MakeRandomGraph(5).graph), OnnxBytes(MakeRandomGraph(5).graph));
  EXPECT_NE(OnnxBytes(MakeRandomGraph(5).graph), OnnxBytes(MakeRandomGraph(6).graph));
}

TEST(RandomGraph, ItsNodesAreMostlyRead) {
  int64_t nodes = 0, refused = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const RandomGraph made = MakeRandomGraph(seed);
    nodes += static_cast<int64_t>(made.graph.nodes.size());
    for (const auto& [message, count] : made.refused) refused += count;
  }
  EXPECT_GT(nodes, 100);
  EXPECT_LT(refused, nodes);
}

bool HasEmpty(const OnnxGraph& graph) {
  std::vector<std::string> names;
  for (const OnnxNode& node : graph.nodes) names.push_back(node.outputs[0]);
  const std::map<std::string, Shape> shapes = ShapesOf(graph, names);
  return std::any_of(shapes.begin(), shapes.end(), [](const auto& each) { return ElementCount(each.second) == 0; });
}

TEST(RandomGraph, SomeHaveTensorsWithoutElements) {
  int64_t graphs = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) graphs += HasEmpty(MakeRandomGraph(seed).graph) ? 1 : 0;
  EXPECT_GE(graphs, 8);
  EXPECT_LE(graphs, 80);
}

TEST(CheckGraph, TellsRightFromRefused) {
  const GraphRun run = DrawGraphRun(1, HostTarget());
  const auto verdict = [&](const std::string& op) {
    return CheckGraph(GraphOf({NodeOf(op, {"x"}, "y")}, {2, 3}), run, [](const std::string&) {}).verdict;
  };
  EXPECT_EQ(verdict("Relu"), Verdict::kRight);
  EXPECT_EQ(verdict("Unheard"), Verdict::kRefused);
}

TEST(GraphReport, IsGoodWhenEveryGraphIsRight) {
  const GraphRun run = DrawGraphRun(1, HostTarget());
  for (const Verdict verdict : {Verdict::kRight, Verdict::kRefused, Verdict::kThrown, Verdict::kCrashed}) {
    GraphReport report("");
    report.Add("first", OnnxGraph(), run, {Verdict::kRight, ""});
    report.Add("second", OnnxGraph(), run, {verdict, "why"});
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(report.Finish(1), verdict == Verdict::kRight);
    EXPECT_THAT(::testing::internal::GetCapturedStdout(),
                HasSubstr(verdict == Verdict::kRefused ? "1 right, 1 refused" : "0 refused"));
  }
}

TEST(WrongOutput, NamesTheElementThatIsOff) {
  const relay::ExprPtr x = InputOf({2, 3});
  const relay::IRModule module = ModuleOf(x, relay::MakeCall("nn.relu", {x}));
  const auto expected = RunReference(module, Inputs({2, 3}));
  EXPECT_EQ(WrongOutput(module, Inputs({2, 3}), expected, expected), std::nullopt);
  std::vector<Tensor> got{expected[0].Clone()};
  got[0].Set(4, got[0].At(4) + 0.01);
  EXPECT_THAT(WrongOutput(module, Inputs({2, 3}), expected, got).value_or(""), HasSubstr("output 0 element 4"));
}

TEST(WrongOutput, AsksHowWellASumIsKnown) {
  const relay::ExprPtr x = InputOf({2, 3});
  const relay::ExprPtr large = relay::MakeConstant(Tensor::Scalar(1000));
  const relay::ExprPtr there = relay::MakeCall("add", {x, large});
  const relay::IRModule module =
      ModuleOf(x, relay::MakeCall("subtract", {relay::MakeCall("subtract", {there, large}), x}));
  const auto expected = RunReference(module, Inputs({2, 3}));
  std::vector<Tensor> got{expected[0].Clone()};
  got[0].Set(1, got[0].At(1) + 1e-3);
  EXPECT_EQ(WrongOutput(module, Inputs({2, 3}), expected, got), std::nullopt);
  got[0].Set(1, got[0].At(1) + 1);
  EXPECT_NE(WrongOutput(module, Inputs({2, 3}), expected, got), std::nullopt);
}

// One kernel's plan, in memory of its own.
struct BuiltRelu {
  explicit BuiltRelu(const Shape& shape) : inputs(Inputs(shape)) {
    const relay::ExprPtr x = InputOf(shape);
    BuildOptions options;
    options.context.target = HostTarget();
    const BuildResult built = Build(ModuleOf(x, relay::MakeCall("nn.relu", {x})), options);
    package = Package::FromBytes(built.package, "test");
    plan = built.plan;
  }
  std::vector<Tensor> Run() const { return RunGuarded({plan, package->lib(), package->params()}, inputs, 1); }

  std::map<std::string, Tensor> inputs;
  std::shared_ptr<const Package> package;
  Plan plan;
};

TEST(RunGuarded, DiesWhereAKernelLeavesItsBuffer) {
  BuiltRelu relu({16, 16});
  EXPECT_EQ(relu.Run().size(), 1u);
  relu.plan.calls.at(0).operands.back().offset_bytes = 64;
  EXPECT_DEATH(relu.Run(), "");
}

TEST(RunGuarded, TellsWhenAKernelWritesBesideItsBuffer) {
  BuiltRelu relu({1, 5});
  EXPECT_EQ(relu.Run().size(), 1u);
  relu.plan.calls.at(0).operands.back().offset_bytes = 4;
  EXPECT_THROW(relu.Run(), Error);
}

TEST(RunGuarded, DiesWhereAKernelWritesAnInput) {
  BuiltRelu relu({16, 16});
  relu.plan.calls.at(0).operands.back() = relu.plan.calls.at(0).operands.front();
  EXPECT_DEATH(relu.Run(), "");
}

// Runs a relu of 5 numbers under the emulator, with the result's operand as given.
std::string RunEmulatedRelu(const testing::EmulatedProgram::Operand& result) {
  BuildContext context;
  context.target = Target::Parse("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72");
  const relay::ExprPtr x = InputOf({1, 5});
  const Lowered lowered = Lower(RunPasses(ModuleOf(x, relay::MakeCall("nn.relu", {x})), {context}), context);
  testing::EmulatedProgram program(context.target);
  program.Read(program.AddBuffer(20));
  program.AddBuffer(20);
  program.Call({{0, 0, 20}, result}, lowered.plan.kernels.at(0).stages, 0);
  program.Write(1);
  return program.Run(lowered.objects, std::string(20, '\0'));
}

TEST(EmulatedProgram, FailsWhereAKernelLeavesItsBuffer) {
  if (testing::EmulatorFor(Target::Parse("llvm -mtriple=aarch64-linux-gnu")).empty()) GTEST_SKIP() << "no emulator";
  EXPECT_EQ(RunEmulatedRelu({1, 0, 20}), std::string(20, '\0'));
  EXPECT_THROW(RunEmulatedRelu({1, 4, 20}), Error) << "beside its buffer";
  EXPECT_THROW(RunEmulatedRelu({1, 64, 20}), Error) << "behind it";
  EXPECT_THROW(RunEmulatedRelu({0, 0, 20}), Error) << "into an input";
}

TEST(WatchChecks, ReportsACrashAndGoesOn) {
  std::vector<std::string> seen;
  WatchChecks(
      3,
      [](int64_t index, const CheckStep& step) {
        step("session");
        if (index == 1) std::raise(SIGKILL);
        return GraphCheck{Verdict::kRight, ""};
      },
      [&](int64_t, const GraphCheck& check) { seen.push_back(VerdictName(check.verdict) + check.detail); });
  EXPECT_THAT(seen, ElementsAre("right", "crashedKilled in the session", "right"));
}

TEST(ShrinkGraph, KeepsWhatFails) {
  OnnxGraph graph = GraphOf({NodeOf("Relu", {"x"}, "a"), NodeOf("Softmax", {"a"}, "b"), NodeOf("Neg", {"b"}, "c"),
                             NodeOf("Add", {"c", "a"}, "d")},
                            {3, 7});
  graph.nodes[1].attributes = {{"axis", IntAttribute(1)}};
  const OnnxGraph small = ShrinkGraph(graph, [](const OnnxGraph& candidate) {
    const std::string bytes = OnnxBytes(candidate);
    return bytes.find("Softmax") != std::string::npos;
  });
  ASSERT_EQ(small.nodes.size(), 1u);
  EXPECT_EQ(small.nodes[0].op_type, "Softmax");
  EXPECT_TRUE(small.nodes[0].attributes.empty());
  ASSERT_EQ(small.inputs.size(), 1u);
  EXPECT_EQ(small.inputs[0].dims[1].value, 1);
}

}  // namespace
}  // namespace hone

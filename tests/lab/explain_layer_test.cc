// One layer explained: how it is found by name, its record, its layouts, and the bounds of its kernel.
#include "lab/records/explain_layer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/relay/infer_type.h"
#include "core/error.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

using relay::ExprPtr;
using testing::HasSubstr;

// Calls `act`, which must throw an Error with this code, and returns its message.
template <typename Act>
std::string Refusal(ExitCode code, const Act& act) {
  try {
    act();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

ChosenLayer Named(const std::vector<std::string>& nodes, const std::string& op = "nn.conv2d") {
  ChosenLayer choice;
  choice.layer.op = op;
  choice.layer.nodes = nodes;
  return choice;
}

class FindLayerTest : public testing::Test {
 protected:
  size_t Find(const std::string& what) const { return FindLayer(layers_, what, "m.onnx"); }
  const std::vector<ChosenLayer> layers_ = {Named({"stem/conv", "stem/relu"}), Named({"block1/conv"}),
                                            Named({"block1/conv2", "2"}), Named({}, "nn.softmax")};
};

TEST_F(FindLayerTest, TakesWholeNamesBeforePartsAndIndices) {
  EXPECT_EQ(Find("block1/conv"), 1U) << "not block1/conv2, of which it is a part";
  EXPECT_EQ(Find("stem/relu"), 0U) << "fused into the convolution's layer";
  EXPECT_EQ(Find("2"), 2U) << "the node of that name";
  EXPECT_EQ(Find("1"), 1U);
  EXPECT_EQ(Find("softmax"), 3U) << "a layer without a name goes by its operator";
  EXPECT_EQ(Find("stem"), 0U) << "a part of two names of one layer";
}

TEST_F(FindLayerTest, ListsTheLayersThatAPartMayMean) {
  const std::string message = Refusal(ExitCode::kUsage, [&] { Find("conv"); });
  for (const char* part : {"'conv'", "3 layers", "m.onnx", "0 stem/conv", "1 block1/conv", "2 block1/conv2"}) {
    EXPECT_THAT(message, HasSubstr(part));
  }
}

TEST_F(FindLayerTest, ListsTheNearNamesOfAWrongOne) {
  const std::string message = Refusal(ExitCode::kNoInput, [&] { Find("blok1/conv"); });
  EXPECT_THAT(message, HasSubstr("near ones: block1/conv, block1/conv2"));
  EXPECT_THAT(message, HasSubstr("hone explain m.onnx"));
  EXPECT_THAT(Refusal(ExitCode::kNoInput, [&] { Find("4"); }), HasSubstr("its 4 layers"));
}

TEST_F(FindLayerTest, TakesAPartOfAWorkloadThatNoNameHas) {
  std::vector<ChosenLayer> layers = layers_;
  layers[1].layer.name = "nn.conv2d data=1x3x7x7 weight=64x3x7x7";
  EXPECT_EQ(FindLayer(layers, "64x3x7x7", "m.onnx"), 1U);
}

ExprPtr Conv(const ExprPtr& data, int64_t in, int64_t out, const std::string& name) {
  Tensor weight(DType::kFloat32, {out, in, 3, 3});
  FillTensor(weight, Fill::kNormal, 7);
  return relay::MakeCall(
      "nn.conv2d", {data, relay::MakeConstant(std::move(weight))},
      {{"padding", std::vector<int64_t>{1, 1, 1, 1}}, {"channels", out}, {"kernel_size", std::vector<int64_t>{3, 3}}},
      name);
}

// Three convolutions, of which the middle one has records in blocks of 8 and of 16, and the others in blocks of 8.
class ExplainLayerTest : public testing::Test {
 protected:
  ExplainLayerTest() {
    const ExprPtr x = relay::MakeVar("x", relay::TensorType({1, 32, 24, 24}));
    const ExprPtr body = Conv(Conv(Conv(x, 32, 64, "first"), 64, 64, "middle"), 64, 32, "last");
    std::vector<std::shared_ptr<const relay::Var>> params = {std::static_pointer_cast<const relay::Var>(x)};
    module_ =
        relay::InferType(relay::IRModule{std::make_shared<relay::Function>(std::move(params), body), {}, "three", {}});
    machine_.context.target = Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=x86-64-v3");
    machine_.fingerprint = FingerprintOf(EpycOf("AuthenticAMD-25-1-1"));
    roofs_ = {100, 20, false};
  }

  Record Of(const Workload& workload, int64_t block, int64_t ns) const {
    Record record = SampleRecord(1);
    record.candidate = {workload, "conv2d_direct", Config({{"oc_block", block}, {"ic_block", block}}),
                        machine_.context.target};
    record.measurement.environment = EpycOf("AuthenticAMD-25-1-1");
    record.measurement.samples_ns = {ns + 500, ns};
    record.measurement.batch = {1, 1};
    record.schedule_version = FindSchedule("conv2d_direct")->version();
    record.id.clear();
    return Finish(record);
  }

  // Explains a layer, given that the middle one takes `middle16_ns` in blocks of 16 and 1 ms in blocks of 8.
  LayerExplanation Explain(const std::string& layer, int64_t middle16_ns) {
    std::vector<Record> records;
    for (const Task& task : ExtractTasks(module_, machine_.context)) {
      records.push_back(Of(task.workload, 8, 1'000'000));
      const bool middle = task.nodes.front() == "middle";
      records.push_back(Of(task.workload, 16, middle ? middle16_ns : 1'500'000));
    }
    layers_.Add("hub", FixedLayer(records));
    RecordConfigSource source(layers_, machine_.fingerprint);
    const ChosenLayers choices(module_, machine_.context, &source);
    const size_t index = FindLayer(choices.layers(), layer, "three");
    return ExplainLayer(choices, index, machine_, layers_, source, roofs_);
  }

  relay::IRModule module_;
  Machine machine_;
  MachineRoofs roofs_;
  RecordLayers layers_;
};

TEST_F(ExplainLayerTest, SaysWhatTheLayersOwnBestWouldCostTheNetwork) {
  const LayerExplanation e = Explain("middle", 999'900);
  ASSERT_GT(e.choice.ways.size(), 1U);
  ASSERT_NE(e.choice.chosen, 0U);
  const LayerWay& chosen = e.choice.ways[e.choice.chosen];
  EXPECT_EQ(chosen.data + chosen.output, "NCHW8cNCHW8c");
  EXPECT_EQ(e.choice.ways[0].data + e.choice.ways[0].output, "NCHW16cNCHW16c");
  EXPECT_DOUBLE_EQ(e.network_ns_with[e.choice.chosen], e.network_ns);
  for (const double ns : e.network_ns_with) EXPECT_GE(ns, e.network_ns - 1);
  // 100 ns faster by itself, and two transforms more.
  EXPECT_GT(e.network_ns_with[0], e.network_ns + 500);
  const std::string text = LayerText(e, machine_);
  EXPECT_THAT(text, HasSubstr("reads NCHW8c, writes NCHW8c, for the network's sake"));
  EXPECT_THAT(text, HasSubstr("the layer's own best reads NCHW16c, writes NCHW16c: 999.90 us instead of 1.000 ms"));
  EXPECT_THAT(text, HasSubstr("1 faster by itself, in other layouts"));
}

TEST_F(ExplainLayerTest, SaysThatTheOwnBestIsTaken) {
  const LayerExplanation e = Explain("middle", 100'000);
  EXPECT_EQ(e.choice.chosen, 0U);
  EXPECT_THAT(LayerText(e, machine_), HasSubstr("reads NCHW16c, writes NCHW16c, as the layer's own best"));
}

TEST_F(ExplainLayerTest, SaysWhereTheRecordIsFromAndHowItWasMeasured) {
  const LayerExplanation e = Explain("first", 1'200'000);
  ASSERT_TRUE(e.record);
  EXPECT_EQ(e.record->measurement.MinNs(), 1'000'000);
  EXPECT_EQ(e.origin, "hub");
  EXPECT_TRUE(e.timed_here());
  const std::string text = LayerText(e, machine_);
  EXPECT_THAT(text, HasSubstr("record " + e.record->id + " (record, hub): of hub, measured on exactly this machine"));
  EXPECT_THAT(text, HasSubstr("1.000 ms, least of 2 samples, cold-weights cache, 1 thread"));
  EXPECT_THAT(text, HasSubstr("passed over: 1 record: 1 slower"));
  const Json json = LayerJson(e, layers_);
  EXPECT_EQ(json["record"]["record"], e.record->id);
  EXPECT_EQ(json["record"]["origin"], "hub");
  EXPECT_EQ(json["considered"].size(), 2U);
  EXPECT_EQ(json["ways"].size(), e.choice.ways.size());
}

TEST_F(ExplainLayerTest, AnotherMachinesTimeIsNotHeldAgainstTheseRoofs) {
  machine_.fingerprint = FingerprintOf(EpycOf("AuthenticAMD-26-2-1"));
  const LayerExplanation e = Explain("first", 1'200'000);
  ASSERT_TRUE(e.record);
  EXPECT_FALSE(e.timed_here());
  EXPECT_THAT(LayerText(e, machine_), HasSubstr("measured on another machine"));
  EXPECT_FALSE(LayerJson(e, layers_)["bounds"].contains("of_bound"));
}

TEST_F(ExplainLayerTest, WithoutRecordsTheDefaultIsEstimated) {
  RecordConfigSource source(layers_, machine_.fingerprint);
  const ChosenLayers choices(module_, machine_.context, nullptr);
  const LayerExplanation e = ExplainLayer(choices, 0, machine_, layers_, source, roofs_);
  EXPECT_FALSE(e.record);
  EXPECT_GT(e.ns(), 0);
  EXPECT_THAT(LayerText(e, machine_), HasSubstr("no record: the analytic default, estimated"));
  EXPECT_TRUE(LayerJson(e, layers_)["record"].is_null());
  EXPECT_FALSE(LayerJson(e, layers_)["bounds"].contains("of_bound")) << "an estimate is no measurement";
}

TEST_F(ExplainLayerTest, BoundsAKernelByArithmeticLoadsAndMemory) {
  const KernelBounds b = *Explain("first", 1'200'000).bounds;
  EXPECT_EQ(b.flops, 2.0 * 64 * 32 * 9 * 24 * 24);
  EXPECT_EQ(b.bytes, 4 * (32 * 24 * 24 + 64 * 24 * 24 + 64 * 32 * 9));
  EXPECT_DOUBLE_EQ(b.arithmetic_ns(), b.flops / 100);
  EXPECT_DOUBLE_EQ(b.memory_ns(), static_cast<double>(b.bytes) / 20);
  EXPECT_EQ(b.bound(), b.loads_ns() > b.arithmetic_ns() ? "loads" : "arithmetic");
  EXPECT_GT(b.loop.multiply_adds, 0);
  EXPECT_DOUBLE_EQ(b.ns, 1'000'000);
  const std::string text = BoundsText(b);
  for (const char* part : {"assumed peak on 1 thread: 100.0 GFLOP/s, 20.0 GB/s", " % of its 1.000 ms",
                           "register tile: ", "loads per multiply-add", "caches: weights of a tile "}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(KernelBounds, NamesTheGreatestBound) {
  KernelBounds b;
  EXPECT_EQ(b.bound(), "");
  b.flops = 1000;
  b.bytes = 100;
  b.roofs = {10, 10, true};
  EXPECT_EQ(b.bound(), "arithmetic");
  b.loop.multiply_adds = 10;
  b.loop.loads = 20;
  EXPECT_DOUBLE_EQ(b.loads_ns(), 200) << "two loads per multiply-add, of which a cycle has as many";
  EXPECT_EQ(b.bound(), "loads");
  b.loop.products = 4;
  EXPECT_DOUBLE_EQ(b.arithmetic_ns(), 25);
  b.bytes = 10'000;
  EXPECT_EQ(b.bound(), "memory");
  b.ns = 500;
  EXPECT_EQ(b.memory_ns(), 0) << "faster than memory: the operands lie in a cache";
  b.ns = 0;
  b.saved = 4;
  b.loop.products = 1;
  EXPECT_DOUBLE_EQ(b.arithmetic_ns(), 25) << "Winograd's algorithm";
  b.loop.tiles = true;
  EXPECT_EQ(b.loads_ns(), 0);
}

}  // namespace
}  // namespace hone

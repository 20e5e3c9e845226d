// Comparisons of machines: the times that may be divided, the text for missing ones, portability, prices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/build.h"
#include "compiler/frontend/zoo/zoo.h"
#include "compiler/layers.h"
#include "compiler/relay/infer_type.h"
#include "core/error.h"
#include "lab/comparison/bench_results.h"
#include "lab/comparison/compare_models.h"
#include "lab/comparison/compare_records.h"
#include "lab/comparison/comparison_text.h"
#include "lab/comparison/likeness.h"
#include "lab/comparison/portability.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ComparedLayer Timed(const std::string& name, int uses, int64_t ns) {
  ComparedLayer layer;
  layer.name = name;
  layer.has_knobs = true;
  layer.precision = "float32";
  layer.uses = uses;
  layer.flops = 1000;
  layer.hone_version = "0.1.0";
  if (ns > 0) layer.time = {ns, ns, ns + 1, 3};
  layer.origin = ns > 0 ? TimeOrigin::kRecord : TimeOrigin::kMissing;
  return layer;
}

ComparedCell CellOf(const std::vector<ComparedLayer>& layers) {
  ComparedCell cell;
  cell.layers = layers;
  cell.origin = TimeOrigin::kRecord;
  SumLayers(cell);
  return cell;
}

// One model on one device per cell, each on a machine of its own.
Comparison Of(const std::vector<ComparedCell>& cells) {
  Comparison c;
  c.models = {{"net", 2}};
  for (size_t i = 0; i < cells.size(); ++i) {
    ComparedDevice device;
    device.name = device.machine = device.setup = "machine " + std::to_string(i);
    device.labels = {"board" + std::to_string(i)};
    device.cache = "cold-weights";
    device.roofs = {10, 1, true};
    c.devices.push_back(device);
    c.cells.push_back({cells[i]});
  }
  return c;
}

TEST(Comparison, SumsUsesTimesLeast) {
  const ComparedCell cell = CellOf({Timed("a", 3, 200), Timed("b", 1, 50)});
  EXPECT_EQ(cell.time.ns, 650);
  EXPECT_EQ(cell.time.high_ns, 654);
  EXPECT_EQ(cell.tasks, 2);
  EXPECT_EQ(cell.covered, 2);
  EXPECT_EQ(cell.precision, "float32");
  EXPECT_DOUBLE_EQ(FmaShare({10, 1, true}, cell.flops, cell.time.ns), 4000.0 / 650 / 10);
}

TEST(Comparison, HasNoTimeWithoutAnyLayer) {
  ComparedLayer pool = Timed("pool", 1, 5);
  pool.has_knobs = false;
  pool.origin = TimeOrigin::kEstimate;
  EXPECT_EQ(CellOf({Timed("a", 1, 0), pool}).time.ns, 0) << "an estimate alone is no time";
  EXPECT_EQ(CellOf({Timed("a", 1, 10), pool}).time.ns, 15);
  EXPECT_EQ(CellOf({Timed("a", 1, 10), pool}).estimated_ns, 5);
}

TEST(Standings, DivideByTheQuickest) {
  const auto standings = StandingsOf(Of({CellOf({Timed("a", 1, 300)}), CellOf({Timed("a", 1, 100)})}), 0, {});
  EXPECT_DOUBLE_EQ(standings[0].ratio, 3);
  EXPECT_TRUE(standings[1].is_reference);
  EXPECT_FALSE(standings[0].partial());
}

TEST(Standings, ADeviceThatLacksALayerIsComparedOverWhatBothHave) {
  const Comparison c =
      Of({CellOf({Timed("a", 2, 100), Timed("b", 1, 900)}), CellOf({Timed("a", 2, 150), Timed("b", 1, 0)})});
  const auto standings = StandingsOf(c, 0, {});
  EXPECT_TRUE(standings[0].is_reference) << "complete ones first";
  EXPECT_DOUBLE_EQ(standings[1].ratio, 1.5);
  EXPECT_TRUE(standings[1].partial());
  EXPECT_THAT(StandingText(c, 1, 0, standings[1]), HasSubstr("ratio over 1 of 2 layers"));
}

TEST(Standings, GiveWhatIsUnlikeNoRatioAndSayWhy) {
  ComparedLayer eight = Timed("a", 1, 100), newer = Timed("a", 1, 100), noisy = Timed("a", 1, 100);
  eight.precision = "int8";
  newer.hone_version = "0.2.0";
  noisy.noisy = true;
  const ComparedCell plain = CellOf({Timed("a", 1, 100)});
  Comparison c = Of({plain, plain, plain, plain, plain, CellOf({eight}), CellOf({newer}), CellOf({noisy})});
  c.devices[2].threads = 4;
  c.devices[3].cache = "warm";
  c.devices[4].emulated = true;
  const auto standings = StandingsOf(c, 0, {});
  EXPECT_GT(standings[1].ratio, 0);
  const std::vector<std::string> expected = {"threads", "cache", "emulated", "precision", "version", "noisy"};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_THAT(standings[i + 2].unlike, ElementsAre(expected[i]));
    EXPECT_EQ(standings[i + 2].ratio, 0) << expected[i];
  }
  EXPECT_GT(StandingsOf(c, 0, {"threads"})[2].ratio, 0) << "it was accepted";
  EXPECT_THAT(ComparisonText({c, {}, {}}), HasSubstr("not compared: 4 threads"));
}

TEST(Standings, NeverTakeAnEmulatedMachineAsTheReference) {
  Comparison c = Of({CellOf({Timed("a", 1, 10)}), CellOf({Timed("a", 1, 100)})});
  c.devices[0].emulated = true;
  EXPECT_TRUE(StandingsOf(c, 0, {})[1].is_reference);
  c.devices[1].emulated = true;
  for (const Standing& standing : StandingsOf(c, 0, {})) EXPECT_EQ(standing.ratio, 0);
}

TEST(Standings, RefuseNamesThatAreNone) {
  EXPECT_EQ(ParseLikenessNames("threads,version", "--accept"), (std::set<std::string>{"threads", "version"}));
  EXPECT_THROW(ParseLikenessNames("colour", "--accept"), Error);
}

// Values of the definition in the paper: the harmonic mean, and 0 where a platform is not supported.
TEST(PerformancePortability, IsTheHarmonicMeanOrZero) {
  EXPECT_DOUBLE_EQ(PerformancePortability(std::vector<double>{1, 0.5}).value(), 2 / 3.0);
  EXPECT_DOUBLE_EQ(PerformancePortability(std::vector<double>{0.9}).value(), 0.9);
  EXPECT_EQ(PerformancePortability(std::vector<double>{1, 0, 0.5}), 0);
  EXPECT_FALSE(PerformancePortability(std::vector<double>{}).has_value());
}

TEST(Layers, AreTheTasksAndWhatHasNoKnobs) {
  ZooOptions options;
  options.image_shape = {3, 32, 32};
  const relay::IRModule module = relay::InferType(BuildZoo("squeezenet", options));
  BuildContext context;
  context.target = SampleRecord(0).candidate.target;
  std::vector<std::pair<std::string, int>> tasks, layers;
  for (const Task& task : ExtractTasks(module, context)) tasks.emplace_back(task.workload.ToText(), task.uses);
  int without_knobs = 0;
  for (const Layer& layer : ExtractLayers(module, context)) {
    EXPECT_GT(layer.bytes, 0) << layer.name;
    if (layer.workload) layers.emplace_back(layer.name, layer.uses);
    without_knobs += !layer.workload;
  }
  EXPECT_EQ(layers, tasks);
  EXPECT_GT(without_knobs, 1) << "pools and the softmax";
}

// A dense layer on two machines, and the times of each one's best config on the other.
Record On(const std::string& machine, int config, int64_t ns, Fate fate = Fate::kOk) {
  Record record = SampleRecord(config);
  record.measurement.environment = EpycOf("AuthenticAMD-25-" + machine + "-0");
  record.measurement.environment.label = "board" + machine;
  record.measurement.environment.key = "boards";
  record.measurement.fate = fate;
  record.measurement.samples_ns = {ns, ns + 2};
  record.measurement.batch = {1, 1};
  return Finish(record);
}

class FromRecords : public testing::Test {
 protected:
  Comparison Compare(const std::vector<Record>& records) {
    store_ = RecordStore::Open(folder_.File(std::to_string(++stores_) + ".db"));
    store_->Append(records);
    ZooOptions options;
    options.image_shape = {1, 14, 14};
    const std::vector<ModelToCompare> models = {{"mlp", relay::InferType(BuildZoo("mlp", options))}};
    return CompareRecords(*store_, DevicesOf(*store_, {}), models, {});
  }
  // The mlp's layers as records of a machine, each taking `ns`.
  static std::vector<Record> Layers(const std::string& machine, int config, int64_t ns, size_t left_out = 9) {
    ZooOptions options;
    options.image_shape = {1, 14, 14};
    BuildContext context;
    context.target = SampleRecord(0).candidate.target;
    std::vector<Record> records;
    for (const Layer& layer : ExtractLayers(relay::InferType(BuildZoo("mlp", options)), context)) {
      if (!layer.workload || records.size() == left_out) continue;
      Record record = On(machine, config, ns);
      record.candidate.workload = *layer.workload;
      record.id.clear();
      records.push_back(Finish(record));
    }
    return records;
  }
  static std::vector<Record> Joined(std::vector<Record> a, const std::vector<Record>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  // Two devices with records of their own; the first one's best configs failed on the second.
  static std::vector<Record> WithFailuresOfTheFirst(Fate fate, const std::string& message) {
    std::vector<Record> records = Joined(Layers("1", 1, 1000), Layers("2", 2, 2000));
    for (Record record : Layers("2", 1, 0)) {
      record.measurement.fate = fate;
      record.measurement.message = message;
      record.measurement.samples_ns.clear();
      record.measurement.batch.clear();
      record.id.clear();
      records.push_back(Finish(record));
    }
    return records;
  }

  TempFolder folder_;
  int stores_ = 0;
  std::unique_ptr<RecordStore> store_;
};

TEST_F(FromRecords, HoldLayersAndEstimatesOfWhatHasNoKnobs) {
  const Comparison c = Compare(Joined(Layers("1", 1, 1000), Layers("2", 2, 2000)));
  ASSERT_EQ(c.devices.size(), 2U);
  EXPECT_EQ(c.devices[0].labels, (std::set<std::string>{"board1"}));
  const ComparedCell& cell = c.At(0, 0);
  EXPECT_EQ(cell.covered, cell.tasks);
  EXPECT_GT(cell.tasks, 1);
  EXPECT_GT(cell.estimated_ns, 0) << "the softmax";
  EXPECT_EQ(cell.time.ns, 1000 * cell.tasks + cell.estimated_ns);
  EXPECT_GT(c.devices[0].roofs.gflops, 0);
  EXPECT_FALSE(c.devices[0].roofs.measured);
  EXPECT_GT(StandingsOf(c, 0, {})[1].ratio, 1.5);
}

// Records of another machine, whose roofs cannot be measured here.
TEST_F(FromRecords, TakeTheRoofsThatTheyTell) {
  const auto with_roofs = [](const std::vector<std::string>& texts) {
    std::vector<Record> records = Layers("2", 2, 2000);
    for (size_t i = 0; i < records.size(); ++i) {
      records[i].measurement.environment.roofs = texts[i % texts.size()];
      records[i] = Finish(records[i]);
    }
    return records;
  };
  const Comparison c =
      Compare(Joined(Layers("1", 1, 1000), with_roofs({"90.0 GFLOP/s, 20.0 GB/s", "95.0 GFLOP/s, 18.0 GB/s"})));
  EXPECT_FALSE(c.devices.at(0).roofs.measured) << "as older ones tell none";
  const MachineRoofs& told = c.devices.at(1).roofs;
  EXPECT_TRUE(told.measured);
  EXPECT_FLOAT_EQ(static_cast<float>(told.gflops), 95);
  EXPECT_FLOAT_EQ(static_cast<float>(told.read_gbps), 20);
  const ComparedLayer& softmax = c.At(1, 0).layers.back();
  EXPECT_EQ(softmax.time.ns, std::llround(softmax.bytes / told.read_gbps)) << "estimates are of the same roof";
  const std::string text = ComparisonText({c, {}, {}});
  EXPECT_THAT(text, testing::AllOf(HasSubstr("95 GFLOP/s, 20.0 GB/s, measured"), HasSubstr("assumed of its kind")));
}

TEST_F(FromRecords, TakeNoRoofsThatNoMachineOfTheKindHas) {
  for (const char* text : {"0.1 GFLOP/s, 20.0 GB/s", "100.0 GFLOP/s, 0.0 GB/s", "quick", "; ;"}) {
    std::vector<Record> records = Layers("2", 2, 2000);
    for (Record& record : records) {
      record.measurement.environment.roofs = text;
      record = Finish(record);
    }
    EXPECT_FALSE(Compare(records).devices.at(0).roofs.measured) << text;
  }
}

TEST_F(FromRecords, GiveAPartialRatioWhereALayerIsMissing) {
  const Comparison c = Compare(Joined(Layers("1", 1, 1000), Layers("2", 2, 2000, 1)));
  const Standing standing = StandingsOf(c, 0, {})[1];
  EXPECT_TRUE(standing.partial());
  EXPECT_GT(standing.ratio, 1);
}

TEST_F(FromRecords, SayWhatEachOthersBestConfigurationsReach) {
  std::vector<Record> records = Joined(Layers("1", 1, 1000), Layers("2", 2, 2000));
  for (const Record& record : Layers("2", 1, 2500)) records.push_back(record);
  const Comparison c = Compare(records);
  const std::vector<Portability> all = PortabilityFromRecords(*store_, c, {ComparableDevices(c, 0, {})});
  const Portability& p = all.at(0);
  ASSERT_EQ(p.devices.size(), 2U);
  EXPECT_DOUBLE_EQ(p.times[0][1].Efficiency().value(), 0.8) << "2000 of its own against 2500";
  EXPECT_FALSE(p.times[1][0].Efficiency().has_value()) << "nobody tried";
  EXPECT_DOUBLE_EQ(PerformancePortability(p, 0).value(), 2 / (1 + 1 / 0.8));
  EXPECT_FALSE(PerformancePortability(p, 1).has_value());
}

TEST_F(FromRecords, CountAConfigurationThatDoesNotRunThereAsUnsupported) {
  const std::vector<Record> records = WithFailuresOfTheFirst(Fate::kInvalidConfig, "");
  const Comparison c = Compare(records);
  const Portability p = PortabilityFromRecords(*store_, c, {ComparableDevices(c, 0, {})}).at(0);
  EXPECT_EQ(p.times[0][1].Efficiency(), 0);
  EXPECT_EQ(PerformancePortability(p, 0), 0);
}

TEST_F(FromRecords, TakeTroubleOfTheMachineForNoRefusal) {
  const std::vector<Record> records = WithFailuresOfTheFirst(Fate::kCompileFailed, "lld wrote no output");
  const Comparison c = Compare(records);
  const Portability p = PortabilityFromRecords(*store_, c, {ComparableDevices(c, 0, {})}).at(0);
  EXPECT_FALSE(p.times[0][1].Efficiency().has_value()) << "nobody could try";
}

TEST_F(FromRecords, UseNoisyTimesOnlyWhereThereAreNoOthersAndMarkThem) {
  std::vector<Record> records = Layers("1", 1, 1000);
  Record noisy = records[0];
  noisy.measurement.samples_ns = {10, 10};
  noisy.measurement.noisy = true;
  noisy.id.clear();
  records.push_back(Finish(noisy));
  EXPECT_FALSE(Compare(records).At(0, 0).noisy);
  records.erase(records.begin());
  std::filesystem::remove(folder_.File("store.db"));
  const Comparison c = Compare(records);
  EXPECT_TRUE(c.At(0, 0).noisy);
  EXPECT_THAT(StandingsOf(c, 0, {})[0].unlike, ElementsAre("noisy"));
}

TEST(ExplainDifference, PutsTheLargestContributionFirst) {
  const Comparison c = Of({CellOf({Timed("a", 1, 100), Timed("b", 2, 50), Timed("c", 1, 7), Timed("d", 1, 0)}),
                           CellOf({Timed("a", 1, 110), Timed("b", 2, 90), Timed("e", 1, 5), Timed("d", 1, 3)})});
  const Difference difference = ExplainDifference(c, 0, 0, 1);
  ASSERT_EQ(difference.layers.size(), 4U);
  EXPECT_EQ(difference.layers[0].name, "b");
  EXPECT_EQ(difference.layers[0].difference_ns(), 80);
  EXPECT_EQ(difference.layers[1].name, "a");
  EXPECT_EQ(difference.total_ns, 80 + 10 - 7 + 5) << "what only one has counts in full";
  EXPECT_EQ(difference.unknown, 1);
}

TEST(Prices, GiveThePriceOfAMillionOfWholeModels) {
  Comparison c = Of({CellOf({Timed("a", 1, 1'000'000)}), CellOf({Timed("a", 1, 1'000), Timed("b", 1, 0)})});
  SetPrices({"board0=0.5/h"}, c);
  EXPECT_DOUBLE_EQ(ImagesPerMoney(c.devices[0], c.models[0], c.At(0, 0)), 2 * 3600e3 / 0.5);
  EXPECT_THAT(ComparisonText({c, {}, {}}), HasSubstr("price per million"));
  EXPECT_DOUBLE_EQ(PriceOfMillion(c, 0, 0), 1e6 / (2 * 3600e3 / 0.5));
  SetPrices({"board1=0.5/h"}, c);
  EXPECT_EQ(PriceOfMillion(c, 1, 0), 0) << "the time of one of two layers is no time of the model";
  for (const char* wrong : {"board0", "board0=0.5", "board0=-1/h", "=1/h", "board0=x/h", "nobody=1/h"}) {
    EXPECT_THROW(SetPrices({wrong}, c), Error) << wrong;
  }
}

TEST(Prices, RefuseOneThatOverridesAnother) {
  Comparison c = Of({CellOf({Timed("a", 1, 100)}), CellOf({Timed("a", 1, 100)})});
  // Two runners with one fingerprint are one row.
  c.devices[0].labels = {"left", "right"};
  c.devices[0].runners = {"boards/left", "boards/right"};
  c.devices[0].short_id = "26b8c1e4";
  try {
    SetPrices({"left=0.04/h", "board1=0.1/h", "right=0.05/h"}, c);
    ADD_FAILURE() << "the last one won";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("--price right=0.05/h overrides --price left=0.04/h"));
  }
  SetPrices({"left=0.04/h", "right=0.04/h"}, c);
  ComparisonReport report;
  report.comparison = c;
  EXPECT_THAT(ComparisonText(report, 200), HasSubstr("boards/left, boards/right are one row"));
}

TEST(ShortName, TellsMachinesApartThatStandAtPlacesOfOneName) {
  Comparison c = Of({CellOf({Timed("a", 1, 10)}), CellOf({Timed("a", 1, 20)}), CellOf({Timed("a", 1, 30)})});
  for (size_t i = 0; i < 3; ++i) c.devices[i].short_id = "f00" + std::to_string(i);
  EXPECT_EQ(ShortName(c, 0), "machine 0");
  c.devices[0].runners = {"vm"};
  c.devices[1].runners = {"pi4/a", "pi4/b"};
  c.devices[2].runners = {"desk"};
  EXPECT_EQ(ShortName(c, 0), "vm");
  EXPECT_EQ(ShortName(c, 1), "machine 1");
  c.devices[2].runners = {"vm"};
  EXPECT_EQ(ShortName(c, 0), "vm #f000");
  EXPECT_EQ(ShortName(c, 2), "vm #f002");
  c.devices[2].machine = c.devices[0].machine;
  EXPECT_EQ(ShortName(c, 2), "vm");
}

TEST(ComparisonOutputs, AreQuotedForTheProgramThatReadsThem) {
  Comparison c = Of({CellOf({Timed("a", 1, 100)})});
  c.devices[0].name = "an \"odd\", name | *x*\033[31m";
  const ComparisonReport report{c, {}, {}};
  EXPECT_THAT(ComparisonCsv(report), HasSubstr("net,\"an \"\"odd\"\", name | *x*"));
  EXPECT_THAT(ComparisonMarkdown(report), HasSubstr("name \\| \\*x\\*"));
  EXPECT_THAT(ComparisonText(report), Not(HasSubstr("\033")));
  const Json json = ToJson(report);
  EXPECT_EQ(json["format"], "hone-comparison");
  EXPECT_EQ(json["cells"][0]["ns"], 100);
  EXPECT_EQ(json["cells"][0]["layers"].size(), 1U);
}

}  // namespace
}  // namespace hone

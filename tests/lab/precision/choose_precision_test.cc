// The choice of precisions with invented times and real errors.
#include "lab/precision/choose_precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/nth.h"
#include "lab/machine/machine.h"
#include "lab/precision/network_timer.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Each call takes the time of its precision.
class FakeTimer : public NetworkTimer {
 public:
  int64_t float32_ns = 1000, bfloat16_ns = 1000, int8_ns = 1000;
  int asked = 0;

  std::vector<NetworkTime> Time(const std::vector<const BuildResult*>& networks) override {
    ++asked;
    std::vector<NetworkTime> times;
    for (const BuildResult* network : networks) {
      NetworkTime time;
      for (const PlanCall& call : network->plan.calls) {
        time.call_ns.push_back(TimeOf(Nth(network->plan.kernels, call.kernel).dispatch.workload));
        time.ns += time.call_ns.back();
      }
      times.push_back(time);
    }
    return times;
  }
  bool measures() const override { return false; }

 private:
  int64_t TimeOf(const std::string& workload) const {
    if (workload.empty()) return 1;
    if (workload.find("int8") != std::string::npos) return int8_ns;
    return workload.find("bfloat16") != std::string::npos ? bfloat16_ns : float32_ns;
  }
};

BuildContext Here() {
  MachineOptions options;
  options.threads = 1;
  options.target = "host";
  return ResolveMachine(options).context;
}

class ChoosePrecisionTest : public testing::Test {
 protected:
  static ModelOptions Network() {
    ModelOptions options;
    options.model = "zoo:dqn";
    options.classes = 1000;
    options.image_shape = "4,36,36";
    return options;
  }

  ChosenPrecision Choose(double max_error, const std::string& why_not_bfloat16 = "") {
    PrecisionTools tools;
    tools.timer = &timer_;
    tools.build = [&](const PrecisionNetwork& network) { return Built(network); };
    tools.run = [&](const PrecisionNetwork&, const BuildResult& built) {
      return RunPackage(built.package, models_.samples().judges(), here_.threads);
    };
    tools.reference = [&] { return ReferenceOutputs(models_.NetworkOf({}).module, models_.samples().judges()); };
    return ChoosePrecision(models_, max_error, why_not_bfloat16, tools);
  }

  BuildResult Built(const PrecisionNetwork& network) const {
    BuildOptions options;
    options.context = here_;
    options.context.precision = network.precision;
    return Build(network.module, options);
  }

  // The network's own error, on the held-out samples.
  double ErrorOf(const PrecisionNetwork& network) const {
    const auto& judges = models_.samples().judges();
    return LargestError(RunPackage(Built(network).package, judges, 1),
                        ReferenceOutputs(models_.NetworkOf({}).module, judges));
  }

  // The error on the inputs from which losses are computed.
  double ErrorWhereSeen(const PrecisionNetwork& network) const {
    const auto& samples = models_.samples().seen;
    const std::vector<CalibrationSample> some(samples.begin(), samples.begin() + 4);
    const auto exact = RunPackage(Built(models_.NetworkOf({})).package, some, 1);
    const auto made = RunPackage(Built(network).package, some, 1);
    return LargestError(made, exact);
  }

  std::vector<std::optional<LayerLoss>> LossesIn(LayerPrecision precision) const {
    const Plan plan = Built(models_.NetworkOf(models_.All(precision))).plan;
    return models_.LossesIn(precision, plan, [](const std::string&) {});
  }

  static const TriedNetwork& Tried(const ChosenPrecision& chosen, const std::string& what) {
    for (const TriedNetwork& tried : chosen.tried) {
      if (tried.what == what) return tried;
    }
    throw std::runtime_error(what + " was not tried");
  }

  BuildContext here_ = Here();
  QuantiseOptions calibration_{.calibrate = "random", .samples = 10};
  ModelOptions options_ = Network();
  PrecisionModels models_{options_, LoadModel(options_).typed, calibration_, here_};
  FakeTimer timer_;
};

TEST_F(ChoosePrecisionTest, ABudgetOfZeroIsFloat32AndNothingElseIsTried) {
  timer_.int8_ns = timer_.bfloat16_ns = 1;
  const ChosenPrecision chosen = Choose(0);
  EXPECT_TRUE(chosen.is_float32);
  EXPECT_EQ(chosen.tried.size(), 1U);
  EXPECT_EQ(timer_.asked, 0);
  EXPECT_THAT(CountLayers(chosen.layers), ElementsAre(5, 0, 0));
  EXPECT_EQ(PackagePrecisionOf(chosen), PackagePrecision());
}

TEST_F(ChoosePrecisionTest, ALooseBudgetTakesTheFastestEverywhere) {
  timer_.int8_ns = 100;
  timer_.bfloat16_ns = 500;
  const ChosenPrecision chosen = Choose(1);
  EXPECT_THAT(CountLayers(chosen.layers), ElementsAre(0, 0, 5));
  EXPECT_FALSE(chosen.is_float32);
  EXPECT_GT(chosen.error(), 0);
  EXPECT_EQ(PackagePrecisionOf(chosen).name, "int8");
  for (const LayerChoice& layer : chosen.layers) EXPECT_LT(layer.ns, layer.float32_ns) << layer.layer;
}

TEST_F(ChoosePrecisionTest, BFloat16IsTakenWhereItIsTheFastest) {
  timer_.int8_ns = 2000;
  timer_.bfloat16_ns = 100;
  const ChosenPrecision chosen = Choose(1);
  EXPECT_EQ(chosen.network.precision, Precision::kBFloat16);
  EXPECT_EQ(CountLayers(chosen.layers)[2], 0);
  // The first layer reads the model's input, which without tiles is not rounded for it.
  EXPECT_GE(CountLayers(chosen.layers)[1], 4);
}

TEST_F(ChoosePrecisionTest, NothingIsTakenThatIsSlowerThanFloat32) {
  timer_.int8_ns = 3000;
  timer_.bfloat16_ns = 3000;
  const ChosenPrecision chosen = Choose(1);
  EXPECT_TRUE(chosen.is_float32);
  EXPECT_TRUE(Tried(chosen, "float32").taken);
  EXPECT_TRUE(Tried(chosen, "float32").holds);
  // Against the float64 reference, float32 has an error of its own.
  EXPECT_GT(Tried(chosen, "float32").error, 0);
  EXPECT_LT(Tried(chosen, "float32").error, 1e-5);
  EXPECT_EQ(Tried(chosen, "int8").ns, 5 * 3000 + Tried(chosen, "int8").ns % 3000);
}

TEST_F(ChoosePrecisionTest, BetweenTheTwoSomeLayersStayAndTheErrorHolds) {
  timer_.int8_ns = 100;
  const double whole = Tried(Choose(1, "none here"), "int8").error;
  for (const double share : {0.9, 0.7, 0.5}) {
    const ChosenPrecision chosen = Choose(share * whole, "none here");
    EXPECT_FALSE(Tried(chosen, "int8").holds);
    const LayerCounts counts = CountLayers(chosen.layers);
    EXPECT_GT(counts[2], 0) << share;
    EXPECT_GT(counts[0], 0) << share;
    EXPECT_LE(chosen.error(), share * whole);
    EXPECT_DOUBLE_EQ(ErrorOf(chosen.network), chosen.error());
    EXPECT_EQ(PackagePrecisionOf(chosen).name, "mixed");
    EXPECT_EQ(PackagePrecisionOf(chosen).int8_layers, counts[2]);
  }
}

TEST_F(ChoosePrecisionTest, AllThreeMayMeetInOneNetwork) {
  Assignment assignment = models_.All(LayerPrecision::kInt8);
  assignment[models_.layers()[1].name] = LayerPrecision::kBFloat16;
  assignment[models_.layers()[3].name] = LayerPrecision::kFloat32;
  const PrecisionNetwork network = models_.NetworkOf(assignment);
  std::vector<std::string> types;
  const BuildResult built = Built(network);
  for (const PlanCall& call : built.plan.calls) {
    const std::string& workload = Nth(built.plan.kernels, call.kernel).dispatch.workload;
    if (!workload.empty()) types.push_back(DTypeName(Workload::Parse(workload).types.weight).data());
  }
  EXPECT_THAT(types, ElementsAre("int8", "bfloat16", "int8", "float32", "int8"));
  EXPECT_GT(ErrorOf(network), 0);
  EXPECT_LT(ErrorOf(network), 0.1);
}

TEST_F(ChoosePrecisionTest, WhatIsLeftOutIsNamedWithTheReason) {
  EXPECT_THAT(Choose(1, "needs another CPU").left_out, ElementsAre("bfloat16: needs another CPU"));
}

// bfloat16 has 8 bits of precision, so a product of two rounded operands is off by about 2^-9 of itself.
TEST_F(ChoosePrecisionTest, TheErrorsOfLayersAloneAreThoseOfTheirNumbers) {
  const auto bfloat16 = LossesIn(LayerPrecision::kBFloat16);
  // The first layer reads the model's input, which without tiles is not rounded for it.
  for (size_t i = 1; i < bfloat16.size(); ++i) {
    ASSERT_TRUE(bfloat16[i].has_value());
    EXPECT_GT(bfloat16[i]->alone.sqnr_db(), 45);
    EXPECT_LT(bfloat16[i]->alone.sqnr_db(), 60);
  }
  for (const auto& loss : LossesIn(LayerPrecision::kInt8)) {
    ASSERT_TRUE(loss.has_value());
    EXPECT_GT(loss->alone.sqnr_db(), 25);
    EXPECT_LT(loss->alone.sqnr_db(), 50);
  }
}

// The last layer's result is the output.
TEST_F(ChoosePrecisionTest, TheLastLayersErrorAtTheOutputIsItsOwn) {
  for (const LayerPrecision precision : {LayerPrecision::kBFloat16, LayerPrecision::kInt8}) {
    const auto losses = LossesIn(precision);
    EXPECT_NEAR(losses.back()->output / losses.back()->alone.largest(), 1, 0.05);
  }
}

// The predicted error equals that of a network, built normally, in which only that layer is not float32.
TEST_F(ChoosePrecisionTest, ALayersErrorAtTheOutputIsThatOfANetworkWithItAlone) {
  for (const LayerPrecision precision : {LayerPrecision::kBFloat16, LayerPrecision::kInt8}) {
    const auto losses = LossesIn(precision);
    for (size_t i = 0; i < losses.size(); ++i) {
      if (!losses[i]) continue;
      const std::string& layer = models_.layers()[i].name;
      const double built = ErrorWhereSeen(models_.NetworkOf({{layer, precision}}));
      // In a network a dense layer's result is rounded too; for the prediction only if another layer reads it.
      EXPECT_NEAR(std::log2(losses[i]->output / built), 0, 1) << layer << " " << LayerPrecisionName(precision);
    }
  }
}

TEST_F(ChoosePrecisionTest, WhatIsExpectedOfANetworkIsTheRootOfItsLayersSquares) {
  timer_.int8_ns = 100;
  const ChosenPrecision chosen = Choose(1, "none here");
  double squared = 0;
  for (const LayerChoice& layer : chosen.layers) squared += layer.output_error * layer.output_error;
  EXPECT_NEAR(Tried(chosen, "int8").expected, std::sqrt(squared), 1e-9);
  EXPECT_EQ(Tried(chosen, "float32").expected, 0);
}

}  // namespace
}  // namespace hone

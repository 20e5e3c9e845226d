#include "lab/model/extents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/error.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<InputSpec> Specs() {
  InputSpec ids{"ids", DType::kInt64, {4, 512}}, mask{"mask", DType::kFloat32, {4, 500, 2}},
      scale{"scale", DType::kFloat32, {}};
  ids.ranges = {{0, "batch", 1}, {1, "seq", 2}};
  mask.ranges = {{1, "seq", 1}};
  return {ids, mask, scale};
}

std::string Refusal(ExitCode code, const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "accepted";
}

// An extent has to fit each axis of its dimension.
TEST(Extents, AreThoseThatAllAxesAllow) {
  const std::vector<InputSpec> specs = Specs();
  EXPECT_EQ(FreeDimensionsText(FreeDimensions(specs)), "batch 1..4, seq 2..500");
  EXPECT_EQ(ShapeTextOf(specs[0]), "(batch: 1..4)x(seq: 2..512)");
  EXPECT_EQ(ShapeTextOf(specs[1]), "4x(seq: 1..500)x2");
  EXPECT_EQ(ShapeTextOf(specs[2]), "scalar");
  EXPECT_TRUE(FreeDimensions({specs[2]}).empty());
}

TEST(Extents, AreTheLargestUnlessChosen) {
  const std::vector<InputSpec> specs = Specs();
  ChosenExtents extents(specs);
  EXPECT_EQ(extents.ShapeOf(specs[0]), (Shape{4, 500}));
  extents.Choose("seq", 57, "--dim seq=57");
  extents.ChooseAsIn(specs[0], {2, 57}, "ids.npy");
  EXPECT_EQ(extents.ShapeOf(specs[0]), (Shape{2, 57}));
  EXPECT_EQ(extents.ShapeOf(specs[1]), (Shape{4, 57, 2}));
}

TEST(Extents, RefuseWhatDoesNotFit) {
  const std::vector<InputSpec> specs = Specs();
  ChosenExtents extents(specs);
  EXPECT_EQ(Refusal(ExitCode::kBadData, [&] { extents.Choose("seq", 501, "--dim seq=501"); }),
            "--dim seq=501: the dimension seq is 501; it may be 2 to 500");
  EXPECT_EQ(Refusal(ExitCode::kBadData, [&] { extents.Choose("seq", 1, "--dim seq=1"); }),
            "--dim seq=1: the dimension seq is 1; it may be 2 to 500");
  EXPECT_EQ(Refusal(ExitCode::kUsage, [&] { extents.Choose("sec", 7, "--dim sec=7"); }),
            "--dim sec=7: the package's free dimensions are batch 1..4, seq 2..500; did you mean seq?");
  extents.Choose("seq", 7, "a.npy");
  EXPECT_EQ(Refusal(ExitCode::kBadData, [&] { extents.Choose("seq", 8, "b.npy"); }),
            "the dimension seq is 7 by a.npy and 8 by b.npy; one number would be right");
  ChosenExtents none({specs[2]});
  EXPECT_EQ(Refusal(ExitCode::kUsage, [&] { none.Choose("seq", 7, "--dim seq=7"); }),
            "--dim seq=7: the shapes of the package are fixed; `hone build MODEL --dim seq=1..7 -o P.hone` leaves a "
            "free dimension of the model to runs");
}

TEST(Extents, AreReadFromText) {
  EXPECT_THAT(ParseExtent("a=b=57"), Pair("a=b", 57));
  for (const char* text : {"seq", "seq=", "=5", "seq=5x", "seq=1..5", "seq=99999999999999999999"}) {
    EXPECT_EQ(Refusal(ExitCode::kUsage, [&] { ParseExtent(text); }),
              "--dim is given \"" + std::string(text) + "\"; right is NAME=57");
  }
}

TEST(Extents, AreSampledFromTheLeastToTheMost) {
  const auto all = [](const Extents&) { return true; };
  const SampledExtents sampled = SampleExtents(FreeDimensions(Specs()), all);
  EXPECT_TRUE(sampled.passed_over.empty());
  const std::vector<Extents>& samples = sampled.taken;
  ASSERT_GE(samples.size(), 3U);
  EXPECT_THAT(samples.front(), ElementsAre(Pair("batch", 1), Pair("seq", 2)));
  EXPECT_THAT(samples.back(), ElementsAre(Pair("batch", 4), Pair("seq", 500)));
  for (const Extents& each : samples) {
    EXPECT_TRUE(each.at("seq") >= 2 && each.at("seq") <= 500 && each.at("batch") <= 4) << ExtentsText(each);
  }
  EXPECT_THAT(SampleExtents({}, all).taken, ElementsAre(Extents()));
  EXPECT_EQ(ExtentsText(samples.front()), "batch=1, seq=2");
}

// A decoder, and one whose past the build fixed at 7.
TEST(Extents, OfSumsFollowFromTheirParts) {
  InputSpec ids{"ids", DType::kInt64, {1, 16}}, past{"past", DType::kFloat32, {1, 64}},
      mask{"mask", DType::kInt64, {1, 80}};
  ids.ranges = {{1, "seq", 1}};
  past.ranges = {{1, "past", 0}};
  mask.ranges = {{1, "past + seq", 1}};
  ChosenExtents chosen({ids, past, mask});
  EXPECT_EQ(chosen.ShapeOf(mask), (Shape{1, 80}));
  chosen.Choose("past", 7, "--dim past=7");
  EXPECT_EQ(chosen.ShapeOf(mask), (Shape{1, 23}));
  chosen.Choose("seq", 1, "--dim seq=1");
  EXPECT_EQ(chosen.ShapeOf(mask), (Shape{1, 8}));
  chosen.Choose("past + seq", 9, "mask.npy");
  EXPECT_EQ(chosen.ShapeOf(mask), (Shape{1, 9}));
  mask.ranges[0].least = 8;
  mask.shape[1] = 23;
  ChosenExtents fixed({ids, mask});
  fixed.Choose("seq", 3, "--dim seq=3");
  EXPECT_EQ(fixed.ShapeOf(mask), (Shape{1, 10}));
  mask.shape[1] = 40;  // no past has that range
  EXPECT_EQ(ChosenExtents({ids, mask}).ShapeOf(mask), (Shape{1, 40}));
}

TEST(Extents, OfSumsAreSampledWithTheirParts) {
  const std::vector<FreeDimension> dimensions = {{"seq", 1, 16}, {"past", 0, 64}, {"past + seq", 1, 70}};
  const SampledExtents sampled = SampleExtents(dimensions, [](const Extents&) { return true; });
  ASSERT_GE(sampled.taken.size(), 3U);
  for (const Extents& each : sampled.taken) {
    EXPECT_EQ(each.at("past + seq"), each.at("past") + each.at("seq"));
    EXPECT_LE(each.at("past + seq"), 70);
  }
  EXPECT_THAT(sampled.passed_over, ElementsAre(Extents{{"past", 64}, {"past + seq", 80}, {"seq", 16}}));
}

// Two nets: one whose sides halve five times, and one of two sequences of equal length.
TEST(Extents, AreSampledWhereARunTakesThem) {
  const std::vector<FreeDimension> sides = {{"height", 1, 1000}, {"width", 16, 500}};
  const SampledExtents halved = SampleExtents(
      sides, [](const Extents& each) { return each.at("height") % 32 == 0 && each.at("width") % 32 == 0; });
  ASSERT_GE(halved.taken.size(), 3U);
  EXPECT_THAT(halved.taken.front(), ElementsAre(Pair("height", 32), Pair("width", 32)));
  EXPECT_THAT(halved.taken.back(), ElementsAre(Pair("height", 992), Pair("width", 480)));
  EXPECT_THAT(halved.passed_over.front(), ElementsAre(Pair("height", 1), Pair("width", 16)));
  const SampledExtents equal =
      SampleExtents(sides, [](const Extents& each) { return each.at("height") == each.at("width"); });
  ASSERT_GE(equal.taken.size(), 2U);
  for (const Extents& each : equal.taken) EXPECT_EQ(each.at("height"), each.at("width"));
  EXPECT_THAT(SampleExtents(sides, [](const Extents&) { return false; }).taken.front(),
              ElementsAre(Pair("height", 1), Pair("width", 16)));
}

// 2^38 floats are a tebibyte.
TEST(Inputs, BeyondTheMachinesMemoryAreRefused) {
  const std::vector<InputSpec> specs = {{"small", DType::kFloat32, {4}}, {"huge", DType::kFloat32, {1 << 19, 1 << 19}}};
  EXPECT_THAT(Refusal(ExitCode::kIo, [&] { MakeInputs(specs, {}); }),
              testing::StartsWith("the inputs take 1024.0 GiB twice, here and in the session; this machine has "));
}

}  // namespace
}  // namespace hone

#include "bench/tuner/recorded_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "bench/tuner/recorded_schedule.h"
#include "core/error.h"
#include "tuner/search/search_space.h"

namespace hone::bench {
namespace {

RecordedSpace Small() {
  RecordedSpace space;
  space.workload = Workload::Parse(
      "nn.conv2d data=1x32x8x8 weight=32x32x1x1 strides=1x1 padding=0x0x0x0 dilation=1x1 groups=1 dtype=float32 "
      "epilogue=bias_act");
  space.target = Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=znver4");
  space.cpu_model = "A CPU";
  const ConfigSpace direct({{"tile_oc", {1, 2}}, {"tile_ow", {2, 4, 8}}});
  space.parts = {{"conv2d_direct", direct, {5000, kRejected, kRejected, 4000, kFailed, kRejected}},
                 {"conv2d_winograd", ConfigSpace({{"tile_m", {4}}}), {3000}}};
  return space;
}

std::string Text(const RecordedSpace& space) {
  std::ostringstream out;
  WriteRecordedSpace(space, out);
  return out.str();
}

RecordedSpace Read(const std::string& text) {
  std::istringstream in(text);
  return ReadRecordedSpace(in);
}

TEST(RecordedSpace, IsReadAsItWasWritten) {
  const RecordedSpace space = Small(), read = Read(Text(space));
  EXPECT_EQ(read.workload, space.workload);
  EXPECT_EQ(read.target, space.target);
  EXPECT_EQ(read.cpu_model, space.cpu_model);
  ASSERT_EQ(read.parts.size(), 2U);
  EXPECT_EQ(read.parts[0].times_ns, space.parts[0].times_ns);
  EXPECT_EQ(read.parts[0].space.knobs(), space.parts[0].space.knobs());
  EXPECT_EQ(read.parts[1].schedule, "conv2d_winograd");
  EXPECT_EQ(read.BestNs(), 3000);
  EXPECT_EQ(read.valid(), 4);
}

TEST(RecordedSpace, DamageIsRefusedWithItsLine) {
  const std::string good = Text(Small());
  for (size_t cut = 0; cut + 1 < good.size(); cut += 7) {
    try {
      const RecordedSpace read = Read(good.substr(0, cut));
      EXPECT_LT(read.parts.size(), 2U) << "cut at " << cut;
    } catch (const Error&) {
    }
  }
  const auto with = [&good](const std::string& from, const std::string& to) {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    return bad;
  };
  for (const std::string& bad :
       {with("hone-space 2", "hone-space 1"), with("5000", "5000 1"), with("5000", "x"), with(" 4000", ""),
        with("-2", "-9000000000"), with("schedule conv2d_direct\n", ""), with("knob tile_oc 1 2", "knob tile_oc")}) {
    EXPECT_THROW(Read(bad), Error) << bad;
  }
}

TEST(RecordedSpace, ASearchSeesWhatWasRecorded) {
  const RecordedSpace space = Small();
  const RecordedTask task(space);
  EXPECT_EQ(task.task.space->ranked().size(), 4U);
  EXPECT_EQ(task.best_ns, 3000);
  EXPECT_EQ(task.Measure({"conv2d_direct", Config::Parse("tile_oc=2 tile_ow=2")}).min_ns, 4000);
  EXPECT_FALSE(task.Measure({"conv2d_direct", Config::Parse("tile_oc=2 tile_ow=4")}).ok);
  EXPECT_FALSE(task.Measure({"conv2d_direct", Config::Parse("tile_oc=1 tile_ow=4")}).ok);
  EXPECT_FALSE(task.Measure({"none", Config()}).ok);
}

TEST(RecordedSpace, AScheduleThatThereIsNotIsRefused) {
  RecordedSpace space = Small();
  space.parts[0].schedule = "conv2d_magic";
  EXPECT_THROW(RecordedTask{space}, Error);
}

TEST(RecordedSpaces, OfTheTestDataAreComplete) {
  const auto spaces = ReadRecordedSpaces(std::string(HONE_TEST_DATA) + "/spaces");
  EXPECT_GE(spaces.size(), 6U);
  EXPECT_GE(std::count_if(spaces.begin(), spaces.end(), [](const auto& space) { return space.valid() >= 5000; }), 4);
  for (const RecordedSpace& space : spaces) {
    EXPECT_GT(space.BestNs(), 0) << space.name;
    for (const RecordedPart& part : space.parts) {
      EXPECT_EQ(std::count(part.times_ns.begin(), part.times_ns.end(), kFailed), 0) << space.name;
    }
  }
}

}  // namespace
}  // namespace hone::bench

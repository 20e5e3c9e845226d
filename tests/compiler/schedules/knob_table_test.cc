// The contract of a schedule's knob table, checked for every schedule.
#include "compiler/schedules/knob_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/codegen/target/host.h"
#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/schedule.h"

namespace hone {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const kWorkloads[] = {
    "nn.conv2d data=1x64x56x56 weight=64x64x3x3 padding=1x1x1x1 epilogue=bias_act",
    "nn.conv2d data=2x256x14x14 weight=512x256x1x1 epilogue=residual",
    "nn.conv2d data=1x3x224x224 weight=64x3x7x7 strides=2x2 padding=3x3x3x3",
    "nn.conv2d data=1x48x14x14 weight=96x16x3x3 padding=1x1x1x1 groups=3",
    "nn.conv2d data=1x144x56x56 weight=144x1x3x3 padding=1x1x1x1 groups=144 epilogue=bias_act",
    "nn.dense data=16x2048 weight=1000x2048 epilogue=bias_act",
    "nn.dense_blocks data=16x2048 weight=1000x256 blocks=int4x32 dtype=float32,int32,float32,float32",
    "nn.batch_matmul data=12x128x128 weight=12x128x64 layouts=BMK,BKN,BMN",
};

struct Case {
  const Schedule* schedule;
  Workload workload;
  MachineModel machine;
  std::string ToText() const { return fmt::format("{} {} {}", schedule->name(), workload.ToText(), machine.name); }
};

std::vector<Case> EveryScheduleOfEveryMachine() {
  std::vector<Case> cases;
  for (const Target& target : KnownTargets()) {
    for (const char* text : kWorkloads) {
      const Workload workload = Workload::Parse(text);
      const MachineModel machine = MachineModelFor(target);
      for (const Schedule* schedule : SchedulesFor(workload, machine)) cases.push_back({schedule, workload, machine});
    }
  }
  return cases;
}

// The first config of Space that the schedule does not reject.
Config SomeValid(const Case& c) {
  const ConfigSpace space = c.schedule->Space(c.workload, c.machine);
  for (int64_t i = 0; i < space.size(); ++i) {
    Config config = space.At(i);
    if (!c.schedule->Reject(c.workload, c.machine, config)) return config;
  }
  ADD_FAILURE() << "no valid config";
  return {};
}

Config Without(const Config& config, std::string_view knob) {
  std::vector<std::pair<std::string, int64_t>> values = config.values();
  std::erase_if(values, [&](const auto& value) { return value.first == knob; });
  return Config(std::move(values));
}

TEST(KnobTable, HasEveryKnobOfTheSpaceInItsOrderWithinItsRange) {
  for (const Case& c : EveryScheduleOfEveryMachine()) {
    SCOPED_TRACE(c.ToText());
    std::vector<KnobRow> rows = c.schedule->Knobs();
    const ConfigSpace space = c.schedule->Space(c.workload, c.machine);
    ASSERT_EQ(rows.back().name, "workers");
    rows.pop_back();  // all these workloads have work for every thread
    std::erase_if(rows, [](const KnobRow& row) { return row.name == "column_items"; });  // only builds set it
    ASSERT_EQ(space.knobs().size(), rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(space.knobs()[i].name, rows[i].name);
      EXPECT_FALSE(space.knobs()[i].values.empty()) << rows[i].name;
      EXPECT_TRUE(rows[i].range.Holds(rows[i].otherwise)) << rows[i].name;
      for (const int64_t value : space.knobs()[i].values) {
        EXPECT_TRUE(rows[i].range.Holds(value)) << rows[i].name << "=" << value;
      }
    }
  }
}

TEST(KnobTable, NamesEachKnobOnce) {
  for (const Schedule* schedule : AllSchedules()) {
    std::vector<std::string_view> names;
    for (const KnobRow& row : schedule->Knobs()) names.push_back(row.name);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << schedule->name();
  }
}

TEST(KnobTable, RefusesAnUnknownKnobAndListsTheKnown) {
  for (const Case& c : EveryScheduleOfEveryMachine()) {
    SCOPED_TRACE(c.ToText());
    Config config = SomeValid(c);
    config.Set("colour", 3);
    const auto refusal = c.schedule->Reject(c.workload, c.machine, config);
    ASSERT_TRUE(refusal.has_value());
    EXPECT_THAT(*refusal, HasSubstr("colour is not a knob"));
    for (const KnobRow& row : c.schedule->Knobs()) EXPECT_THAT(*refusal, HasSubstr(std::string(row.name)));
  }
}

TEST(KnobTable, RefusesAValueOutOfRangeWithTheRange) {
  for (const Case& c : EveryScheduleOfEveryMachine()) {
    for (const KnobRow& row : c.schedule->Knobs()) {
      for (const int64_t value : {row.range.least - 1, row.range.most + 1, INT64_MIN, INT64_MAX}) {
        SCOPED_TRACE(fmt::format("{} {}={}", c.ToText(), row.name, value));
        Config config = SomeValid(c);
        config.Set(row.name, value);
        const auto refusal = c.schedule->Reject(c.workload, c.machine, config);
        ASSERT_TRUE(refusal.has_value());
        EXPECT_THAT(*refusal, AllOf(HasSubstr(fmt::format("{}={} is not within", row.name, value)),
                                    HasSubstr(fmt::format("{} and {}", row.range.least, row.range.most))));
      }
    }
  }
}

TEST(KnobTable, RefusesAValueBetweenTheStepsOfARange) {
  const Workload w = Workload::Parse(kWorkloads[0]);
  const auto refusal =
      FindSchedule("conv2d_winograd")->Reject(w, MachineModelFor(HostTarget()), Config::Parse("tile_m=3"));
  EXPECT_EQ(refusal, "tile_m=3 is not within 2 and 4 in steps of 2");
}

// Records from before a knob existed do not name it, and must keep their kernel.
TEST(KnobTable, ReadsAKnobLeftOutAsItsDefault) {
  for (const Case& c : EveryScheduleOfEveryMachine()) {
    for (const KnobRow& row : c.schedule->Knobs()) {
      SCOPED_TRACE(fmt::format("{} {}", c.ToText(), row.name));
      Config named = SomeValid(c);
      named.Set(row.name, row.otherwise);
      const Config left_out = Without(named, row.name);
      EXPECT_EQ(c.schedule->Reject(c.workload, c.machine, left_out), c.schedule->Reject(c.workload, c.machine, named));
      EXPECT_EQ(c.schedule->Operands(c.workload, left_out, {}), c.schedule->Operands(c.workload, named, {}));
      EXPECT_EQ(c.schedule->Tile(c.workload, c.machine, left_out), c.schedule->Tile(c.workload, c.machine, named));
      EXPECT_EQ(c.schedule->EstimateNs(c.workload, c.machine, left_out),
                c.schedule->EstimateNs(c.workload, c.machine, named));
    }
  }
}

TEST(KnobTable, DoesNotDependOnTheOrderOfAConfigsKnobs) {
  for (const Case& c : EveryScheduleOfEveryMachine()) {
    SCOPED_TRACE(c.ToText());
    const Config config = SomeValid(c);
    std::vector<std::pair<std::string, int64_t>> values = config.values();
    std::reverse(values.begin(), values.end());
    const Config reversed(std::move(values));
    EXPECT_EQ(c.schedule->Reject(c.workload, c.machine, reversed), std::nullopt);
    EXPECT_EQ(c.schedule->EstimateNs(c.workload, c.machine, reversed),
              c.schedule->EstimateNs(c.workload, c.machine, config));
  }
}

// The nest of schedule.h computes the workload: it has at least as many multiply-adds as needed.
TEST(TileShape, OfEveryScheduleIsPositiveAndFitsTheRegisters) {
  for (const Case& c : EveryScheduleOfEveryMachine()) {
    const TileShape tile = c.schedule->Tile(c.workload, c.machine, SomeValid(c));
    SCOPED_TRACE(c.ToText());
    for (const double count : {tile.rows, tile.vectors, tile.line, tile.groups, tile.steps, tile.unroll, tile.passes,
                               tile.weight_bytes, tile.input_bytes}) {
      EXPECT_GE(count, 1);
    }
    EXPECT_LE(tile.accumulators(), c.machine.vector_registers);
    EXPECT_GE(tile.steps, tile.unroll);
  }
}

std::vector<int64_t> WorkersWorthTrying(const Workload& w, int threads) {
  MachineModel machine = MachineModelFor(HostTarget());
  machine.threads = threads;
  const ConfigSpace space = FindSchedule("dense_pack")->Space(w, machine);
  for (const Knob& knob : space.knobs()) {
    if (knob.name == "workers") return knob.values;
  }
  return {};
}

TEST(KnobTable, SmallWorkMayLeaveThreadsAlone) {
  const Workload small = Workload::Parse("nn.dense data=1x32 weight=128x32 epilogue=bias_act");
  const Workload large = Workload::Parse("nn.dense data=16x2048 weight=1000x2048 epilogue=bias_act");
  EXPECT_THAT(WorkersWorthTrying(small, 1), ElementsAre());
  EXPECT_THAT(WorkersWorthTrying(small, 2), ElementsAre(0, 1));
  EXPECT_THAT(WorkersWorthTrying(small, 6), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(WorkersWorthTrying(large, 2), ElementsAre());
  // Loading the weights from memory takes less time than waking a thread.
  const MachineModel machine = MachineModelFor(Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=znver4"), 2);
  EXPECT_EQ(AnalyticDefault(small, machine).config.Get("workers", 0), 1);
}

TEST(KnobTable, WorkersShareWholeGrains) {
  std::vector<KernelStage> stages{{"one", 21, 2}, {"two", 3, 1}, {"three", 1, 1}};
  ShareAmong(4, stages);
  const auto parts = [](const KernelStage& stage) { return (stage.extent + stage.grain - 1) / stage.grain; };
  EXPECT_EQ(stages[0].grain, 6);
  EXPECT_EQ(parts(stages[0]), 4);
  EXPECT_EQ(stages[1].grain, 1);
  ShareAmong(1, stages);
  for (const KernelStage& stage : stages) EXPECT_EQ(parts(stage), 1);
}

}  // namespace
}  // namespace hone

// Joules of a run, from a counter that the test controls.
#include <gtest/gtest.h>

#include "compiler/build.h"
#include "compiler/codegen/target/host.h"
#include "compiler/frontend/zoo/zoo.h"
#include "compiler/relay/infer_type.h"
#include "lab/bench/time_packages.h"
#include "lab/files/write_file.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

TEST(MeasureEnergy, DividesWhatTheCounterGrewByTheRuns) {
  const TempFolder folder;
  ZooOptions zoo;
  zoo.image_shape = {1, 14, 14};
  BuildOptions build;
  build.context.target = HostTarget();
  WriteFileAtomically(folder.File("p.hone"), Build(relay::InferType(BuildZoo("mlp", zoo)), build).package);
  std::vector<TimedPackage> packages(2);
  for (TimedPackage& timed : packages) {
    timed.path = folder.File("p.hone");
    timed.threads = 1;
  }
  int asked = 0;
  // With one run each, the first package begins at 100 J and ends at 103, the second begins at 103 and ends at 110.
  const auto joules = [&asked] { return std::vector<double>{100, 103, 103, 110}.at(static_cast<size_t>(asked++)); };
  MeasureEnergy({}, 0, joules, packages);
  EXPECT_EQ(asked, 4);
  EXPECT_DOUBLE_EQ(packages[0].joules_per_run, 3);
  EXPECT_DOUBLE_EQ(packages[1].joules_per_run, 7);
  // With more runs each takes less.
  double spent = 0;
  MeasureEnergy({}, 5'000'000, [&spent] { return spent += 4; }, packages);
  EXPECT_LT(packages[0].joules_per_run, 2);
}

}  // namespace
}  // namespace hone

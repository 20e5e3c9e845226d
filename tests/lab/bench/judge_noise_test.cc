// Reasons to doubt the times of a result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/bench/bench_result.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> NotesOf(BenchResult result) {
  JudgeNoise(result);
  return result.noise.notes;
}

BenchResult QuietMachine() {
  BenchResult result;
  result.machine.governor = "performance";
  return result;
}

TEST(JudgeNoise, SaysNothingOfAQuietMachine) { EXPECT_THAT(NotesOf(QuietMachine()), IsEmpty()); }

// The load average of the last minute counts the benchmark before this one, and on a runner this one.
TEST(JudgeNoise, DoesNotCountWhatHoneItselfRan) {
  BenchResult result = QuietMachine();
  result.machine.load = 16;
  EXPECT_THAT(NotesOf(result), IsEmpty()) << "on a runner";
  result.noise.busy_cpus = 0.1;
  EXPECT_THAT(NotesOf(result), IsEmpty());
}

TEST(JudgeNoise, NamesOtherProgramsAndTheHypervisor) {
  BenchResult result = QuietMachine();
  result.noise.busy_cpus = 0.75;
  result.noise.steal_share = 0.02;
  EXPECT_THAT(NotesOf(result), ElementsAre(HasSubstr("other programs used 0.75 CPUs before timing"),
                                           HasSubstr("the hypervisor took 2.0 % of the cores' time")));
}

TEST(JudgeNoise, NamesAMachineThatIsDoubtedOrChangesItsClock) {
  BenchResult result = QuietMachine();
  result.machine.governor = "powersave";
  result.machine.emulated = true;
  result.machine.health = "golden kernel 6.1 % slower than usual";
  EXPECT_THAT(NotesOf(result), ElementsAre(HasSubstr("the governor is powersave"), HasSubstr("is emulated"),
                                           "golden kernel 6.1 % slower than usual"));
}

}  // namespace
}  // namespace hone

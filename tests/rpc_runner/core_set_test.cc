#include "rpc_runner/machine/core_set.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "runtime/threads/allowed_cores.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The content of a machine's /sys and /proc/cpuinfo.
class MadeUpMachine {
 public:
  MadeUpMachine() : root_(fs::path(testing::TempDir()) / fmt::format("hone_core_set_{}", getpid())) {
    fs::remove_all(root_);
  }
  ~MadeUpMachine() { fs::remove_all(root_); }
  MadeUpMachine(const MadeUpMachine&) = delete;
  MadeUpMachine& operator=(const MadeUpMachine&) = delete;

  void Tell(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << "\n";
  }
  void Cpu(int cpu, const std::string& siblings, int capacity = 0, const std::string& part = "") {
    const std::string folder = fmt::format("devices/system/cpu/cpu{}/", cpu);
    Tell(folder + "topology/thread_siblings_list", siblings);
    if (capacity > 0) Tell(folder + "cpu_capacity", fmt::format("{}", capacity));
    if (!part.empty()) {
      cpuinfo_ += fmt::format("processor\t: {}\nCPU implementer\t: 0x41\nCPU part\t: {}\n\n", cpu, part);
    }
  }
  std::vector<CpuPlace> Places(const std::vector<int>& cpus) const { return PlacesOf(cpus, cpuinfo_, root_); }
  std::vector<CpuPlace> All() const { return Places(OnlineCpus({}, root_)); }
  std::vector<int> Choose(std::string_view words) const { return ChooseCores(words, All()); }
  std::string Text(const std::vector<int>& cpus) const { return CoreSetText(Places(cpus), All()); }
  std::string InWords(const std::vector<int>& cpus) const { return CoreSetInWords(Places(cpus), All()); }
  std::string root() const { return root_; }

 private:
  fs::path root_;
  std::string cpuinfo_;
};

// Four Cortex-A53 and two Cortex-A72.
struct BigLittle : MadeUpMachine {
  BigLittle() {
    Tell("devices/system/cpu/online", "0-5");
    for (int cpu = 0; cpu < 4; ++cpu) Cpu(cpu, fmt::format("{}", cpu), 485, "0xd03");
    for (int cpu = 4; cpu < 6; ++cpu) Cpu(cpu, fmt::format("{}", cpu), 1024, "0xd08");
  }
};

// Two performance cores with two threads each, one of them favoured, and two efficiency cores with one thread each.
struct Hybrid : MadeUpMachine {
  Hybrid() {
    Tell("devices/system/cpu/online", "0-5");
    Tell("devices/cpu_core/cpus", "0-3");
    Tell("devices/cpu_atom/cpus", "4-5");
    for (int cpu = 0; cpu < 4; ++cpu) Cpu(cpu, cpu < 2 ? "0-1" : "2-3");
    for (int cpu = 4; cpu < 6; ++cpu) Cpu(cpu, fmt::format("{}", cpu));
  }
};

// Two nodes of two cores with two threads each; sibling CPU numbers differ by four.
struct TwoNodes : MadeUpMachine {
  TwoNodes() {
    Tell("devices/system/cpu/online", "0-7");
    Tell("devices/system/node/online", "0-1");
    Tell("devices/system/node/node0/cpulist", "0-1,4-5");
    Tell("devices/system/node/node1/cpulist", "2-3,6-7");
    for (int cpu = 0; cpu < 8; ++cpu) Cpu(cpu, fmt::format("{},{}", cpu % 4, cpu % 4 + 4));
  }
};

TEST(CoreSet, OfBigAndLittleIsChosenByKindOrSpeed) {
  const BigLittle machine;
  EXPECT_THAT(machine.Choose("big"), ElementsAre(4, 5));
  EXPECT_THAT(machine.Choose("cortex-a72"), ElementsAre(4, 5));
  EXPECT_THAT(machine.Choose("little"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(machine.Choose("cortex-a53+nosmt"), ElementsAre(0, 1, 2, 3));
}

TEST(CoreSet, OfAHybridIsChosenByKindAndCore) {
  const Hybrid machine;
  EXPECT_THAT(machine.Choose("big"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(machine.Choose("core+nosmt"), ElementsAre(0, 2));
  EXPECT_THAT(machine.Choose("nosmt"), ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(machine.Choose("atom"), ElementsAre(4, 5));
}

TEST(CoreSet, OfTwoNodesIsChosenByNode) {
  const TwoNodes machine;
  EXPECT_THAT(machine.Choose("node1"), ElementsAre(2, 3, 6, 7));
  EXPECT_THAT(machine.Choose("nosmt+node1"), ElementsAre(2, 3));
}

TEST(CoreSet, ThatTheMachineLacksIsRefusedWithWhatItHas) {
  const auto refusal = [](const MadeUpMachine& machine, std::string_view words) {
    try {
      machine.Choose(words);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal(BigLittle(), "cortex-a76"), HasSubstr("nosmt, node0, big, little, cortex-a53, cortex-a72"));
  EXPECT_THAT(refusal(TwoNodes(), "node2"), HasSubstr("node0, node1"));
  EXPECT_THAT(refusal(TwoNodes(), "big"), HasSubstr("does not tell which cores are big"));
  EXPECT_THAT(refusal(Hybrid(), "atom+core"), HasSubstr("no core"));
  for (const char* wrong : {"", "+", "big+", "0-3+big", "node"}) EXPECT_NE(refusal(BigLittle(), wrong), "") << wrong;
}

TEST(CoreSet, IsRecordedByKind) {
  const BigLittle machine;
  EXPECT_EQ(machine.Text({4, 5}), "cortex-a72");
  EXPECT_EQ(machine.Text({0, 1, 2, 3, 4, 5}), "cortex-a53,cortex-a72") << "all of it";
  EXPECT_EQ(machine.Text({3, 4, 5}), "cortex-a53*1,cortex-a72*2");
  EXPECT_NE(machine.Text({2, 3, 4, 5}), machine.Text({3, 4, 5}));
}

TEST(CoreSet, IsRecordedByWhereItLies) {
  const TwoNodes machine;
  EXPECT_EQ(machine.Text({0, 1, 2, 3, 4, 5, 6, 7}), "") << "all of a machine whose cores are alike";
  EXPECT_EQ(machine.Text({0, 1}), "");
  EXPECT_EQ(machine.Text({0, 4}), "smt");
  EXPECT_EQ(machine.Text({0, 2}), "nodes2");
  EXPECT_EQ(machine.Text({0, 4, 2}), "smt,nodes2");
  EXPECT_EQ(Hybrid().Text({0, 1, 4}), "atom*1,core*2,smt");
}

TEST(CoreSet, TellsClustersOfOneNameApart) {
  MadeUpMachine machine;
  machine.Tell("devices/system/cpu/online", "0-3");
  const int capacities[] = {760, 760, 1024, 1000};
  for (int cpu = 0; cpu < 4; ++cpu) machine.Cpu(cpu, fmt::format("{}", cpu), capacities[cpu], "0xd41");
  EXPECT_EQ(machine.Text({0, 1}), "@760");
  EXPECT_THAT(machine.Choose("big"), ElementsAre(2, 3)) << "favoured ones differ by less";
}

TEST(CoreSet, IsExplained) {
  EXPECT_EQ(BigLittle().InWords({4, 5}), "CPUs 4-5 of 0-5: 2 cortex-a72, one of each core");
  EXPECT_EQ(TwoNodes().InWords({0, 2, 4}), "CPUs 0,2,4 of 0-7: 3 alike, some of one core, nodes 0,1");
  EXPECT_TRUE(IsMixed(TwoNodes().Places({0, 4})));
  EXPECT_TRUE(IsMixed(TwoNodes().Places({0, 2})));
  EXPECT_TRUE(IsMixed(BigLittle().All()));
  EXPECT_FALSE(IsMixed(BigLittle().Places({4, 5})));
}

TEST(CoreSet, OfASystemThatTellsNothingIsAllAlike) {
  const std::vector<CpuPlace> places = PlacesOf({0, 1}, "", testing::TempDir() + "no_such_folder");
  EXPECT_EQ(CoreSetText(places, places), "");
  EXPECT_THAT(ChooseCores("nosmt", places), ElementsAre(0, 1));
}

TEST(CoresOfThisMachine, RefusesCpusThatMayNotBeUsedHere) {
  const int none = AffinityCpus().back() + 1;
  try {
    CoresOfThisMachine(std::to_string(none));
    FAIL() << "there is no CPU " << none;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadConfig);
    EXPECT_THAT(error.what(), testing::HasSubstr("none of those that may be used here"));
  }
}

TEST(CoresOfThisMachine, TakesNumbersAndWords) {
  EXPECT_THAT(CoresOfThisMachine(""), IsEmpty());
  const int first = AffinityCpus().at(0);
  EXPECT_THAT(CoresOfThisMachine(std::to_string(first)), ElementsAre(first));
  EXPECT_THROW(CoresOfThisMachine("3-2"), Error);
  EXPECT_EQ(CoresOfThisMachine("nosmt").at(0), AffinityCpus().at(0));
}

TEST(OneOfEachCoreFirst, LeavesSiblingsForLater) {
  const TwoNodes nodes;
  const std::vector<int> some = {0, 1, 4, 5};
  EXPECT_THAT(OneOfEachCoreFirst(some, CoresOf(some, nodes.root())), ElementsAre(0, 1, 4, 5));
  const Hybrid hybrid;
  const std::vector<int> all = {0, 1, 2, 3, 4, 5};
  EXPECT_THAT(OneOfEachCoreFirst(all, CoresOf(all, hybrid.root())), ElementsAre(0, 2, 4, 5, 1, 3));
  EXPECT_THAT(OneOfEachCoreFirst({7, 0}, {}), ElementsAre(7, 0));
}

}  // namespace
}  // namespace hone

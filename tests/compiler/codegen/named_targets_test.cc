#include "compiler/codegen/target/named_targets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "compiler/codegen/target/host.h"
#include "core/error.h"
#include "core/machine/machine_rows.h"

namespace hone {
namespace {

std::string Row(const NamedTarget& named) {
  const MachineModel m = MachineModelFor(named.target);
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |", named.name, m.name, m.vector_lanes,
                     m.vector_registers, m.l1_bytes >> 10, m.l2_bytes >> 10, m.l3_bytes >> 10, TriedName(named.tried));
}

TEST(NamedTargets, AreTheTableOfTheDocs) {
  std::ifstream page(HONE_SOURCE_DIR "/docs/reference/targets.md");
  std::set<std::string> lines;
  size_t rows = 0;
  for (std::string line; std::getline(page, line);) {
    const bool has_tried =
        line.ends_with(" | silicon |") || line.ends_with(" | emulated |") || line.ends_with(" | compiled only |");
    if (has_tried && std::count(line.begin(), line.end(), '|') == 9) ++rows;
    lines.insert(line);
  }
  for (const NamedTarget& named : NamedTargets()) EXPECT_TRUE(lines.contains(Row(named))) << Row(named);
  EXPECT_EQ(rows, NamedTargets().size()) << "docs/reference/targets.md has rows that are no target";
}

std::string CostsRow(const NamedTarget& named) {
  const MachineModel m = MachineModelFor(named.target);
  const std::string_view of_cpu = CostsFrom(named.target.cpu);
  return fmt::format("| {} | {} | {} | {} | {} | {} |", named.name, m.clock_ghz, m.multiply_adds_per_cycle,
                     m.multiply_add_latency, m.loads_per_cycle, of_cpu.empty() ? CostsFrom(m.name) : of_cpu);
}

TEST(NamedTargets, CostWhatTheTableOfTheDocsSays) {
  std::ifstream page(HONE_SOURCE_DIR "/docs/reference/targets.md");
  std::set<std::string> found, expected;
  std::string line;
  while (std::getline(page, line) && !line.starts_with("| target | GHz |")) continue;
  std::getline(page, line);  // the rule below the table's header
  while (std::getline(page, line) && !line.empty()) found.insert(line);
  for (const NamedTarget& named : NamedTargets()) {
    const bool has_own = !named.target.triple.starts_with("x86_64") || !CostsFrom(named.target.cpu).empty();
    if (has_own) expected.insert(CostsRow(named));
  }
  EXPECT_EQ(found, expected);
}

TEST(Nicknames, ResolveToTargets) {
  for (const Nickname& each : Nicknames()) {
    EXPECT_EQ(ResolveTarget(each.word), ResolveTarget(each.means)) << each.word;
  }
}

TEST(Nicknames, AreFoundHoweverPeopleWriteThem) {
  EXPECT_EQ(ResolveTarget("Raspberry-Pi-4").cpu, "cortex-a72");
  EXPECT_EQ(ResolveTarget("rpi4").cpu, "cortex-a72");
  EXPECT_EQ(ResolveTarget("apple-m1").cpu, "apple-a14");
  EXPECT_EQ(ResolveTarget("c7g.xlarge").cpu, "neoverse-v1");
  EXPECT_EQ(ResolveTarget("x86_64"), ResolveTarget("x86-64"));
  EXPECT_EQ(MeantByNickname("cuda"), "");
}

TEST(NamedTargets, AreWhatTheirNamesResolveTo) {
  for (const NamedTarget& named : NamedTargets()) EXPECT_EQ(ResolveTarget(named.name), named.target) << named.name;
}

TEST(NamedTargets, AreSuggestedForAWrongName) {
  for (const auto& [given, meant] : {std::pair("cortex-a27", "cortex-a72"), std::pair("rv64gcvv", "rv64gcv")}) {
    try {
      ResolveTarget(given);
      FAIL() << given;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(meant), std::string::npos) << error.what();
    }
  }
}

TEST(NamedTargets, OfAnotherArchitectureAreNotSaidToHaveRunHere) {
  for (const NamedTarget& named : NamedTargets()) {
    EXPECT_TRUE(named.tried != Tried::kSilicon || named.target.triple.starts_with("x86_64")) << named.name;
  }
  EXPECT_EQ(TriedOn({"sparc-sun-solaris", "v9", {}, 0}), Tried::kCompiled);
}

}  // namespace
}  // namespace hone

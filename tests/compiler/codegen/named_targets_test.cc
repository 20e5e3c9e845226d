#include "compiler/codegen/named_targets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "compiler/codegen/host.h"
#include "core/error.h"

namespace hone {
namespace {

std::string Row(const NamedTarget& named) {
  const MachineModel m = MachineModelFor(named.target);
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |", named.name, m.name, m.vector_lanes,
                     m.vector_registers, m.l1_bytes >> 10, m.l2_bytes >> 10, m.l3_bytes >> 10, TriedName(named.tried));
}

TEST(NamedTargets, AreTheTableOfTheDocs) {
  std::ifstream page(HONE_SOURCE_DIR "/docs/targets.md");
  std::set<std::string> lines;
  size_t rows = 0;
  for (std::string line; std::getline(page, line);) {
    const bool has_tried =
        line.ends_with(" | silicon |") || line.ends_with(" | emulated |") || line.ends_with(" | compiled only |");
    if (has_tried && std::count(line.begin(), line.end(), '|') == 9) ++rows;
    lines.insert(line);
  }
  for (const NamedTarget& named : NamedTargets()) EXPECT_TRUE(lines.contains(Row(named))) << Row(named);
  EXPECT_EQ(rows, NamedTargets().size()) << "docs/targets.md has rows that are no target";
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

#include <algorithm>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/record_options.h"
#include "core/text/printable.h"
#include "db/care/heal_store.h"
#include "lab/records/records.h"
#include "lab/text/print.h"

namespace hone {
namespace {

constexpr size_t kMostCauses = 10;

// Prints the most common causes first.
void PrintCauses(const Healed& healed) {
  std::vector<std::pair<int64_t, std::string>> causes;
  for (const auto& [cause, count] : healed.causes) causes.emplace_back(count, cause);
  std::stable_sort(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (size_t i = 0; i < std::min(causes.size(), kMostCauses); ++i) {
    Print("{:>8}  {}\n", causes[i].first, Printable(causes[i].second));
  }
}

}  // namespace

int LogHealCommand(const Arguments& arguments) {
  CommandLine line("hone log heal",
                   "Takes records out of the store that blame a candidate for trouble of the machine: a full disk, no "
                   "memory, a missing folder, a reference that did not run.",
                   "hone log heal --rehearse");
  line.First({"--db", "--rehearse"});
  std::string db;
  bool rehearse = false;
  AddStoreOption(line, db);
  line.AddFlag("--rehearse", rehearse, "only print how many records would go");
  if (!line.Parse(arguments)) return 0;
  const Healed healed = HealStore(ExistingStorePath(db), rehearse);
  if (line.json()) {
    PrintJson({{"removed", rehearse ? 0 : healed.records},
               {"would_remove", healed.records},
               {"kept", healed.kept},
               {"causes", healed.causes}});
  } else {
    PrintCauses(healed);
    Print("{} records {}, {} stay\n", healed.records, rehearse ? "would go" : "are gone", healed.kept);
  }
  line.Next("hone log check" + line.Given({Topic::kStore}));
  return 0;
}

}  // namespace hone

#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/commands/log/query_options.h"
#include "cli/commands/log/records_in.h"
#include "core/error.h"
#include "lab/files/write_file.h"
#include "lab/history/history_forms.h"
#include "lab/history/record_changes.h"
#include "lab/records/diff_records.h"
#include "lab/records/records.h"
#include "lab/report/history_page.h"
#include "lab/text/print.h"
#include "lab/text/print_verdicts.h"
#include "lab/text/status_line.h"

namespace hone {
namespace {

struct DiffOptions {
  std::string a, b, since, html;
};

// The two sides are two stores or packs, or one store before a day and since.
std::vector<RecordDiff> Diffs(const DiffOptions& options) {
  if (options.since.empty()) return DiffRecords(RecordsIn(options.a), RecordsIn(options.b));
  return RecordChangesSince(*OpenExistingStore(options.a), {}, ParseSince(options.since, NowMs()));
}

std::string TitleOf(const DiffOptions& options) {
  return options.since.empty() ? fmt::format("From {} to {}", options.a, options.b)
                               : fmt::format("{} since {}", options.a, options.since);
}

}  // namespace

int LogDiffCommand(const Arguments& arguments) {
  CommandLine line("hone log diff",
                   "What is new, gone, faster or slower in B's best records against A's, or in A's since a day.",
                   "hone log diff old.db new.db");
  line.First({"--since", "--html"});
  DiffOptions options;
  line.Add("A", options.a, "a store or a pack").Reads().Required();
  line.Add("B", options.b, "another one, unless --since is given").Reads();
  line.Add("--since", options.since, "compare A's records before and after 2026-11-22, or 90d, 12h ago");
  line.Add("--html", options.html, "also write one page with charts to this file").Writes();
  if (!line.Parse(arguments)) return 0;
  if (options.b.empty() == options.since.empty()) {
    throw Error(ExitCode::kUsage, "right are two stores or packs, A and B, or one store with --since");
  }
  History history;
  history.diffs = Diffs(options);
  if (!options.html.empty()) WriteFileAtomically(options.html, HistoryPage(history, TitleOf(options)));
  if (line.json()) {
    PrintJson({{"diffs", DiffsJson(history.diffs)}});
  } else {
    PrintVerdicts(DiffsText(history.diffs, OutputColumns()));
  }
  line.Next("hone log best --db STORE");
  return 0;
}

}  // namespace hone

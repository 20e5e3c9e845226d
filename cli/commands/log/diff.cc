#include <fmt/format.h>

#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/commands/log/records_in.h"
#include "cli/diff_records.h"
#include "cli/files/write_file.h"
#include "cli/history/history_forms.h"
#include "cli/printing/print_json.h"
#include "cli/printing/print_verdicts.h"
#include "cli/printing/status_line.h"
#include "cli/report/history_page.h"

namespace hone {
int LogDiffCommand(const Arguments& arguments) {
  CommandLine line("hone log diff", "What is new, gone, faster or slower in B's best records against A's.");
  std::string a, b, html;
  line.Add("A", a, "a store or a pack").Required();
  line.Add("B", b, "another one").Required();
  line.Add("--html", html, "also one page with pictures: this file");
  if (!line.Parse(arguments)) return 0;
  History history;
  history.diffs = DiffRecords(RecordsIn(a), RecordsIn(b));
  if (!html.empty()) {
    WriteFileAtomically(html, HistoryPage(history, fmt::format("From {} to {}", a, b)));
  }
  if (line.json()) {
    PrintJson({{"diffs", DiffsJson(history.diffs)}});
  } else {
    PrintVerdicts(DiffsText(history.diffs, OutputColumns()));
  }
  line.Next("hone log best --db STORE");
  return 0;
}

}  // namespace hone

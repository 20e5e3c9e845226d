#include "cli/commands/log/print_records.h"

#include <fmt/format.h>

#include "cli/device_name.h"
#include "cli/printing/number_text.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "cli/printing/status_line.h"
#include "cli/printing/table.h"
#include "db/record_log.h"

namespace hone {

void PrintRecords(const std::vector<Record>& records, bool json) {
  if (json) {
    Json list = Json::array();
    for (const Record& record : records) list.push_back(ToJson(record));
    PrintJson({{"records", list}});
    return;
  }
  Table table(
      {"record", "fate", "> min", "> threads", "cpu", "device", "cache", "> place", "schedule", "config", "workload"});
  for (const Record& r : records) {
    table.Add({r.id, std::string(FateName(r.measurement.fate)), TimeText(r.measurement.MinNs()),
               fmt::format("{}", r.threads), r.candidate.target.cpu, DeviceName(r),
               std::string(CacheModeName(r.timing.cache)), r.finals.held > 0 ? fmt::format("{}", r.finals.place) : "",
               r.candidate.schedule, r.candidate.config.ToText(), r.candidate.workload.ToText()});
  }
  Print("{}{} records\n", table.empty() ? "" : table.ToText(OutputColumns()), records.size());
}

}  // namespace hone

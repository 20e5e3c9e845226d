#include "cli/commands/log/print_records.h"

#include <fmt/format.h>

#include "core/json/serialize.h"
#include "db/record_log.h"
#include "lab/machine/device_name.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/status_line.h"
#include "lab/text/table.h"

namespace hone {
namespace {

using EachTrialRow = std::function<void(const std::function<void(const TrialRow& row)>& visit)>;
using EachRecord = std::function<void(const std::function<void(const Record& record)>& visit)>;

std::vector<std::string> CellsOf(const TrialRow& r) {
  return {r.id,
          std::string(FateName(r.fate)),
          TimeText(r.min_ns),
          fmt::format("{}", r.threads),
          r.cpu,
          DeviceName(r),
          std::string(CacheModeName(r.cache)),
          r.held > 0 ? fmt::format("{}", r.place) : "",
          r.schedule,
          r.config,
          r.workload};
}

void PrintAsTable(const EachTrialRow& each) {
  const size_t records = PrintTable(
      {"record", "fate", "> min", "> threads", "cpu", "device", "cache", "> place", "schedule", "config", "workload"},
      OutputColumns(), [&each](const auto& row) { each([&row](const TrialRow& trial) { row(CellsOf(trial)); }); });
  Print("{} records\n", records);
}

void PrintAsJson(const EachRecord& each) {
  bool first = true;
  Print("{{\"records\":[");
  each([&first](const Record& record) {
    Print("{}{}", first ? "" : ",", DumpJson(ToJson(record)));
    first = false;
  });
  Print("]}}\n");
}

// Rows made from whole records.
EachTrialRow TrialsOf(const EachRecord& each) {
  return [each](const auto& visit) { each([&visit](const Record& record) { visit(TrialRowOf(record, 0)); }); };
}

}  // namespace

void PrintRecords(const std::vector<Record>& records, bool json) {
  const EachRecord each = [&records](const auto& visit) {
    for (const Record& record : records) visit(record);
  };
  json ? PrintAsJson(each) : PrintAsTable(TrialsOf(each));
}

void PrintRecords(const RecordStore& store, RecordQuery query, bool json) {
  // A table reads the store twice, so both readings end at the same arrival.
  if (query.until == 0) query.until = store.Arrived();
  if (json) return PrintAsJson([&](const auto& visit) { store.EachRecord(query, visit); });
  PrintAsTable([&](const auto& visit) { store.EachTrial(query, visit); });
}

void PrintRecords(const RecordStore& store, const std::vector<std::string>& ids, bool json) {
  const EachRecord each = [&](const auto& visit) {
    for (const std::string& id : ids) {
      if (const std::optional<Record> record = store.Get(id)) visit(*record);
    }
  };
  json ? PrintAsJson(each) : PrintAsTable(TrialsOf(each));
}

}  // namespace hone

#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/compare_devices.h"
#include "cli/device_name.h"
#include "cli/machine_options.h"
#include "cli/model.h"
#include "cli/printing/number_text.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "cli/printing/table.h"
#include "cli/store.h"
#include "core/error.h"

namespace hone {
namespace {

Json RowJson(const DeviceRow& row) {
  Json json = {{"device", DeviceName(row.machine, row.runners)},
               {"machine", row.key},
               {"cpu", row.cpu},
               {"threads", row.threads},
               {"cache", CacheModeName(row.cache)},
               {"expected_ns", row.expected_ns},
               {"covered", row.covered}};
  if (row.expected_ns > 0) json["gflops"] = row.covered_flops / static_cast<double>(row.expected_ns);
  if (row.vs_best > 0) json["vs_best"] = row.vs_best;
  return json;
}

// Times under an emulator are no device's. Returns how many it takes out.
size_t TakeOutEmulated(std::vector<Record>& records) {
  return std::erase_if(records, [](const Record& record) { return record.measurement.environment.emulated; });
}

void Report(const std::vector<DeviceRow>& rows, const std::string& model, size_t tasks, size_t emulated, bool json) {
  Json list = Json::array();
  Table table({"device", "cpu", "> threads", "cache", "> tasks covered", "> expected", "> GFLOP/s", "> vs best"});
  for (const DeviceRow& row : rows) {
    list.push_back(RowJson(row));
    table.Add({DeviceName(row.machine, row.runners), row.cpu, fmt::format("{}", row.threads),
               std::string(CacheModeName(row.cache)), fmt::format("{} of {}", row.covered, tasks),
               TimeText(row.expected_ns), GflopsText(row.covered_flops, row.expected_ns),
               row.vs_best > 0 ? fmt::format("{:.2f}x", row.vs_best) : "-"});
  }
  if (json) {
    PrintJson({{"model", model}, {"tasks", tasks}, {"emulated_records", emulated}, {"devices", list}});
  } else {
    Print("{}", rows.empty() ? "no device has records of this model's tasks\n" : table.ToText());
    if (emulated > 0) Print("left out: {} records that were timed under an emulator\n", emulated);
  }
}

}  // namespace

int CompareCommand(const Arguments& arguments) {
  CommandLine line("hone compare",
                   "One model across devices: the time of its tuned layers on each, from the store's records.");
  ModelOptions options;
  MachineOptions machine;
  std::string db;
  bool from_records = false;
  AddModelOptions(line, options);
  line.AddFlag("--from-records", from_records, "from what the store holds; nothing is measured").Required();
  AddContextOptions(line, machine);
  AddStoreOption(line, db);
  if (!line.Parse(arguments)) return 0;
  const auto store = OpenExistingStore(db);
  const Model model = LoadModel(options);
  const std::vector<Task> tasks = ExtractTasks(model.typed, ResolveMachine(machine).context);
  RecordQuery query;
  query.fate = Fate::kOk;
  std::vector<Record> records = store->Find(query);
  const size_t emulated = TakeOutEmulated(records);
  const std::vector<DeviceRow> rows = CompareDevices(tasks, records);
  Report(rows, model.name, tasks.size(), emulated, line.json());
  const std::string given = line.Given(kKernelTopics);
  line.Next(rows.empty() ? "hone tune" + given : "hone build" + given + " -o P.hone");
  return rows.empty() ? static_cast<int>(ExitCode::kAnswerIsNo) : 0;
}

}  // namespace hone

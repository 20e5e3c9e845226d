#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/command_line.h"
#include "cli/machine_options.h"
#include "cli/record_options.h"
#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"
#include "lab/adapter/check_adapter.h"
#include "lab/adapter/known_adapters.h"
#include "lab/adapter/serve_hone.h"
#include "lab/bench/built_packages.h"
#include "lab/text/print.h"
#include "lab/text/status_line.h"
#include "lab/text/table.h"

namespace hone {
namespace {

struct AdapterOptions {
  std::string python = "python3", timeout = "2m";
};

void AddAdapterOptions(CommandLine& line, AdapterOptions& options) {
  line.Add("--python", options.python, "the Python of adapters that are Python files").ShowDefault().Env("HONE_PYTHON");
  line.Add("--runtime-timeout", options.timeout, "how long an adapter may take to answer")
      .Parsed(ParseDuration)
      .ShowDefault();
}

int RuntimeCheckCommand(const Arguments& arguments) {
  CommandLine line("hone runtime check", "Tests whether a program keeps the protocol of adapters.",
                   "hone runtime check ./my_adapter.py");
  AdapterOptions options;
  std::string runtime, model = "zoo:mlp";
  int threads = 1;
  line.Add("RUNTIME", runtime, "an installed runtime, or the path of an adapter").Required();
  line.Add("--model", model, "the model that it loads").ReadsModel().ShowDefault();
  AddThreadsOption(line, threads);
  AddAdapterOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  const AdapterCommand command = ParseRuntime(runtime, options.python);
  ModelOptions of_model;
  of_model.model = model;
  RecordOptions records;
  records.no_records = true;
  const BuiltPackages built({model}, of_model, threads, records);
  const auto package = Package::Inspect(built.paths()[0]);
  InputOptions inputs;
  JudgedModel judged(of_model, *package, inputs);
  inputs.seed = 1;
  JudgedModel other(of_model, *package, inputs);
  const std::vector<AdapterCheck> checks =
      CheckAdapter(command, ParseDuration(options.timeout), std::max(threads, 1), judged, other);
  if (line.json()) {
    PrintJson({{"runtime", runtime}, {"sound", IsSound(checks)}, {"checks", ToJson(checks)}});
  } else {
    Print("{}", ToText(checks));
  }
  if (!IsSound(checks)) return static_cast<int>(ExitCode::kAnswerIsNo);
  line.Next("hone bench MODEL --runtime hone," + ShellWord(runtime));
  return 0;
}

int RuntimeListCommand(const Arguments& arguments) {
  CommandLine line("hone runtime list", "Lists the runtimes whose adapters are installed, and whether they run here.",
                   "hone runtime list");
  AdapterOptions options;
  AddAdapterOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  Json list = Json::array();
  Table table({"runtime", "here", "settings, the default first"});
  for (const std::string& name : KnownRuntimes()) {
    try {
      const Adapter adapter(ParseRuntime(name, options.python), ParseDuration(options.timeout), {});
      std::string settings;
      for (const auto& [setting, values] : adapter.settings()) {
        settings += (settings.empty() ? "" : "; ") + fmt::format("{}={}", setting, fmt::join(values, "|"));
      }
      list.push_back({{"runtime", name},
                      {"name", adapter.name()},
                      {"version", adapter.version()},
                      {"settings", adapter.settings()}});
      table.Add({name, adapter.title(), settings});
    } catch (const Error& e) {
      list.push_back({{"runtime", name}, {"error", e.what()}});
      table.Add({name, e.what()});
    }
  }
  line.json() ? PrintJson({{"runtimes", list}}) : Print("{}", table.ToText(OutputColumns()));
  line.Next("hone bench MODEL --runtime hone,onnxruntime");
  return 0;
}

int RuntimeServeCommand(const Arguments& arguments) {
  CommandLine line("hone runtime serve", "Is hone's own adapter: answers requests on stdin until its end.",
                   "hone runtime serve --no-records");
  RecordOptions records;
  AddRecordOptions(line, records);
  if (!line.Parse(arguments)) return 0;
  ServeHone(records);
  return 0;
}

}  // namespace

int RuntimeCommand(const Arguments& arguments) {
  static const std::vector<Command> commands = {
      {"list", "lists the runtimes that can be timed here", RuntimeListCommand},
      {"check", "tests whether a program keeps the protocol of adapters", RuntimeCheckCommand},
      {"serve", "is hone's own adapter", RuntimeServeCommand},
  };
  return RunNamedCommand("hone runtime", "hone runtime check ./my_adapter.py", commands, arguments);
}

}  // namespace hone

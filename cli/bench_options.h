// The options of `hone bench`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/key_options.h"
#include "cli/machine_options.h"
#include "cli/model_options.h"
#include "cli/record_options.h"
#include "lab/bench/kept_packages.h"
#include "lab/bench/time_packages.h"

namespace hone {

struct BenchOptions {
  std::vector<std::string> packages;
  TimePackagesOptions timing;
  std::string min_time = "3s", fail_above, smallest_effect = "2%", streams, baseline;
  int rounds = 0;          // 0: not given
  std::string until_told;  // empty: not given
  std::string save, keep_size = "4G";
  int keep_days = 90;
  int64_t prompt = 0, generate = 0;  // tokens of texts to time; 0: not given
  std::optional<KeptPackage> kept;   // that --baseline names
  std::string runtimes, against, python = "python3", runtime_timeout = "2m";
  std::vector<std::string> write;
  bool energy = false, keep_roofs = false;
  bool per_op = false, csv = false, markdown = false, random_params = false, any_model = false;
  RemoteRunnerOptions remote;
  ModelOptions model;  // of all models among the packages
  RecordOptions records;
};

// Whether some of the packages are models, which are built first.
bool HasModel(const BenchOptions& options);

void AddBenchOptions(CommandLine& line, BenchOptions& options);

// Whether texts are timed, with --prompt or --generate.
bool TimesTexts(const BenchOptions& options);
// `hone bench` of texts. Returns the exit code. Throws Error(kUsage) for options of other benchmarks.
int BenchTexts(CommandLine& line, const BenchOptions& options);

}  // namespace hone

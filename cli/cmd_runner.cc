#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/core_list.h"
#include "cli/stop.h"
#include "rpc_runner/tracker.h"
#include "tuner/tuner.h"

namespace hone {

int RunnerCommand(const Arguments& arguments) {
  CommandLine line("hone runner",
                   "Offers this machine to a tracker, as hone-runner does. Loopback only: there are no keys yet.");
  RunnerServerOptions options;
  std::string cores, lifetime;
  line.app().add_option("--tracker", options.tracker, "tcp://HOST:PORT")->required()->envname("HONE_TRACKER");
  line.app()
      .add_option("--key", options.key, "the name under which tuners ask for such machines")
      ->required()
      ->envname("HONE_KEY");
  line.app()
      .add_option("--bind", options.bind, "where tuners reach this runner; port * picks a free one")
      ->capture_default_str();
  line.app().add_option("--cores", cores, "the CPUs to time on, as 0,2-3; by default all that are allowed");
  line.app().add_option("--lifetime", lifetime, "end after so long: 90s, 10m, 2h");
  line.app()
      .add_option("--max-jobs", options.max_jobs, "end after so many jobs")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  if (!line.Parse(arguments)) return 0;
  options.cores = ParseCoreList(cores);
  if (!lifetime.empty()) options.lifetime_ns = ParseDuration(lifetime);
  line.Next(fmt::format("hone tune MODEL --tracker {} --key {}", options.tracker, options.key));
  ServeRunner(options, CatchStopSignals());
  return StopExitCode(0);
}

}  // namespace hone

#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/key_options.h"
#include "cli/stop.h"
#include "core/text/duration.h"
#include "rpc_runner/device/runner_server.h"
#include "rpc_runner/health/history_file.h"
#include "rpc_runner/machine/core_set.h"

namespace hone {

int RunnerCommand(const Arguments& arguments) {
  CommandLine line("hone runner", "Offers this machine to a tracker, as hone-runner does.");
  RunnerServerOptions options;
  std::string cores, lifetime, max_deadline, max_memory, max_package, max_cache, health = "on";
  line.Add("--tracker", options.tracker, "tcp://HOST:PORT").Required().Env("HONE_TRACKER").About(Topic::kRunners);
  line.Add("--key", options.key, "the name under which tuners ask for such machines")
      .Required()
      .Env("HONE_KEY")
      .About(Topic::kRunners);
  line.Add("--label", options.label, "this device's name among those of its key; by default the host's");
  line.AddFlag("--direct", options.direct,
               "let tuners of this machine dial this runner too, where the tracker has no keys");
  line.Add("--bind", options.bind, "where, with --direct; port * picks a free one").ShowDefault();
  line.Add("--cores", cores,
           "the CPUs to time on, as 0,2-3, or in words: big, cortex-a72, nosmt+node0; by default all that are allowed");
  line.Add("--max-deadline", max_deadline,
           "the longest that a candidate may take, whatever its job says; by default 60s");
  line.Add("--max-memory", max_memory,
           "the most memory of one job: 512M, 4G; by default three quarters of the machine's");
  line.Add("--max-package", max_package,
           "the most parameters and inputs of one package: 64M, 1G; by default a quarter of the machine's memory");
  line.Add("--max-cache", max_cache,
           "how much of those is kept for the next time; by default an eighth of the machine's memory");
  line.Add("--user", options.executor.user, "who candidates run as when this is started by root; by default nobody");
  line.Add("--require-isolation", options.executor.required_isolation,
           "refuse to start with less: words of what hone devices shows, as seccomp,landlock");
  line.Add("--lifetime", lifetime, "end after so long: 90s, 10m, 2h");
  line.Add("--max-jobs", options.max_jobs, "end after so many jobs").Between(int64_t{1}, int64_t{1} << 40);
  line.AddFlag("--once", options.once, "end when the first lease is over");
  line.Add("--health", health, "on or off: watch this device's speed, and leave while it is slow")
      .OneOf({"on", "off"})
      .ShowDefault();
  AddClientKeyOptions(line, options.keys);
  if (!line.Parse(arguments)) return 0;
  options.executor.cores = CoresOfThisMachine(cores);
  if (health == "on") options.health = HealthOptions{StateFolder(), options.executor.cores, {}};
  if (!max_deadline.empty()) options.executor.max_deadline_ns = ParseDuration(max_deadline);
  if (!max_memory.empty()) options.executor.max_memory_bytes = ParseMemorySize(max_memory);
  if (!max_package.empty()) options.executor.max_package_bytes = ParseMemorySize(max_package);
  if (!max_cache.empty()) options.executor.max_cache_bytes = ParseMemorySize(max_cache);
  if (!lifetime.empty()) options.lifetime_ns = ParseDuration(lifetime);
  line.Next("hone tune MODEL" + line.Given({Topic::kRunners}));
  ServeRunner(options, CatchStopSignals());
  return StopExitCode(0);
}

}  // namespace hone

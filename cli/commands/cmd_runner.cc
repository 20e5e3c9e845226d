#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/key_options.h"
#include "cli/stop.h"
#include "core/text/parse_number.h"
#include "rpc_runner/device/runner_server.h"
#include "rpc_runner/health/golden_history.h"
#include "rpc_runner/machine/core_set.h"
#include "rpc_runner/process/executor_process.h"
#include "rpc_runner/wire/address.h"

namespace hone {
namespace {

// As the user wrote them; an empty one keeps the default.
struct RunnerLimits {
  std::string lifetime, max_deadline, max_memory, max_package, max_cache;
};

void AddLimits(CommandLine& line, RunnerLimits& limits, RunnerServerOptions& options) {
  line.Add("--max-deadline", limits.max_deadline, "longest time that a candidate may take")
      .Parsed(ParseDuration)
      .In(OptionGroup::kLimits)
      .Default("60s");
  line.Add("--max-memory", limits.max_memory, "most memory of one job, as 512M or 4G")
      .Parsed(ParseMemorySize)
      .In(OptionGroup::kLimits)
      .Default("3/4 of memory");
  line.Add("--max-package", limits.max_package, "most parameters and inputs of a package, as 64M or 1G")
      .Parsed(ParseMemorySize)
      .In(OptionGroup::kLimits)
      .Default("1/4 of memory");
  line.Add("--max-cache", limits.max_cache, "memory for parameters and inputs that are kept for later")
      .Parsed(ParseMemorySize)
      .In(OptionGroup::kLimits)
      .Default("1/8 of memory");
  line.Add("--user", options.executor.user, "when started by root, user to run candidates as")
      .In(OptionGroup::kLimits)
      .Default("nobody");
  line.Add("--require-isolation", options.executor.required_isolation,
           "do not start without these, as seccomp,landlock")
      .In(OptionGroup::kLimits);
  line.Add("--lifetime", limits.lifetime, "end after this time, as 90s, 10m or 2h")
      .Parsed(ParseDuration)
      .In(OptionGroup::kLimits);
  line.Add("--max-jobs", options.max_jobs, "end after this many jobs")
      .In(OptionGroup::kLimits)
      .Between(int64_t{1}, int64_t{1} << 40);
  line.AddFlag("--once", options.once, "end when the first lease is over").In(OptionGroup::kLimits);
}

void Apply(const RunnerLimits& limits, RunnerServerOptions& options) {
  if (!limits.max_deadline.empty()) options.executor.max_deadline_ns = ParseDuration(limits.max_deadline);
  if (!limits.max_memory.empty()) options.executor.max_memory_bytes = ParseMemorySize(limits.max_memory);
  if (!limits.max_package.empty()) options.executor.max_package_bytes = ParseMemorySize(limits.max_package);
  if (!limits.max_cache.empty()) options.executor.max_cache_bytes = ParseMemorySize(limits.max_cache);
  if (!limits.lifetime.empty()) options.lifetime_ns = ParseDuration(limits.lifetime);
}

}  // namespace

int RunnerCommand(const Arguments& arguments) {
  CommandLine line("hone runner", "Offers this machine to a tracker, as hone-runner does.",
                   "hone runner --tracker tcp://tracker:9190 --key pi4");
  line.First({"--tracker", "--key", "--cores", "--max-deadline", "--health"});
  RunnerServerOptions options;
  RunnerLimits limits;
  std::string cores, health = "on";
  line.Add("--tracker", options.tracker, "tracker, tcp://HOST:PORT")
      .Required()
      .Env("HONE_TRACKER")
      .About(Topic::kRunners);
  line.Add("--key", options.key, "device key, by which tuners ask for such machines")
      .Required()
      .Env("HONE_KEY")
      .About(Topic::kRunners);
  line.Add("--label", options.label, "name of this device among those of its device key")
      .In(OptionGroup::kRemote)
      .Default("the host name");
  line.AddFlag("--direct", options.direct, "also let tuners of this machine connect without the tracker")
      .In(OptionGroup::kRemote);
  line.Add("--bind", options.bind, "with --direct, address to listen at; port * picks one")
      .In(OptionGroup::kRemote)
      .ShowDefault();
  line.Add("--cores", cores, "CPUs to time on, as 0,2-3, big, cortex-a72 or nosmt+node0").Default("the allowed ones");
  line.Add("--runtime", options.runtimes, "offer another runtime: NAME or NAME=PROGRAM, its adapter (repeatable)")
      .In(OptionGroup::kRemote);
  line.Add("--runtime-reads", options.runtime_reads, "file or folder that adapters may read (repeatable)")
      .In(OptionGroup::kLimits);
  AddLimits(line, limits, options);
  line.Add("--health", health, "watch this device's speed, and leave while it is slow")
      .OneOf({"on", "off"})
      .ShowDefault();
  AddClientKeyOptions(line, options.keys);
  if (!line.Parse(arguments)) return 0;
  options.executor.cores = CoresOfThisMachine(cores);
  if (health == "on") options.health = HealthOptions{StateFolder(), options.executor.cores, {}};
  Apply(limits, options);
  ParseAddress(options.tracker);
  line.Next("hone tune MODEL" + line.Given({Topic::kRunners}));
  ServeRunner(options, CatchStopSignals());
  return StopExitCode(0);
}

}  // namespace hone

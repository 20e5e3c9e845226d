#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/key_options.h"
#include "cli/stop.h"
#include "core/text/printable.h"
#include "rpc_runner/keys/tracker_context.h"
#include "rpc_runner/tracker/tracker.h"

namespace hone {
namespace {

// The address for runners, or words in its place where it holds no address that can be dialled.
std::string DialledAddress(const std::string& bound) {
  if (bound.ends_with('*')) return "ADDRESS";
  for (const std::string_view any : {"tcp://0.0.0.0:", "tcp://[::]:"}) {
    if (bound.starts_with(any)) return "tcp://THIS_MACHINE:" + bound.substr(any.size());
  }
  return ShellWord(bound);
}

}  // namespace

int TrackerCommand(const Arguments& arguments) {
  CommandLine line("hone tracker",
                   "Matches tuners with runners until it is told to stop. Without keys on loopback alone.",
                   "hone tracker --bind tcp://0.0.0.0:9190");
  line.First({"--bind", "--keys", "--metrics"});
  TrackerOptions options;
  std::string folder, audit;
  line.Add("--bind", options.bind, "tcp://HOST:PORT; port * picks a free one").ShowDefault();
  line.Add("--port-file", options.port_file, "file that gets the bound address once the tracker serves").Writes();
  line.Add("--metrics", options.metrics, "127.0.0.1:PORT for Prometheus (/metrics) and /healthz")
      .In(OptionGroup::kRemote);
  AddKeyFolderOption(line, folder);
  line.Add("--audit", audit, "file for the audit").Default("audit.jsonl in the key folder").Writes();
  if (!line.Parse(arguments)) return 0;
  options.keys = TrackerKeys(folder, audit);
  // Fails before anything is printed.
  RequireTrustedKeys(options.keys, options.bind);
  line.Next("hone runner --tracker " + DialledAddress(options.bind) + " --key NAME");
  ServeTracker(options, CatchStopSignals());
  return StopExitCode(0);
}

}  // namespace hone

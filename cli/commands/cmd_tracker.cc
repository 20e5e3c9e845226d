#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/stop.h"
#include "core/shell_word.h"
#include "rpc_runner/tracker/tracker.h"

namespace hone {

int TrackerCommand(const Arguments& arguments) {
  CommandLine line("hone tracker",
                   "Matches tuners with runners until it is told to stop. Loopback only: there are no keys yet.");
  TrackerOptions options;
  line.Add("--bind", options.bind, "tcp://HOST:PORT; port * picks a free one").ShowDefault();
  line.Add("--port-file", options.port_file, "the bound address is written there once the tracker serves");
  line.Add("--metrics", options.metrics, "127.0.0.1:PORT: /metrics for Prometheus and /healthz over HTTP");
  if (!line.Parse(arguments)) return 0;
  const bool free_port = options.bind.ends_with('*');
  line.Next("hone runner --tracker " + (free_port ? "ADDRESS" : ShellWord(options.bind)) + " --key NAME");
  ServeTracker(options, CatchStopSignals());
  return StopExitCode(0);
}

}  // namespace hone

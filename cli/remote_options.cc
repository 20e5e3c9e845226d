#include "cli/remote_options.h"

#include "cli/key_options.h"
#include "core/error.h"

namespace hone {

void AddRemoteOptions(CommandLine& line, RemoteRunnerOptions& remote, const std::string& what) {
  const Option tracker =
      line.Add("--tracker", remote.tracker, "tracker, tcp://HOST:PORT: " + what).About(Topic::kRunners);
  line.Add("--key", remote.key, "key of the runners to use").Needs(tracker).About(Topic::kRunners);
  AddClientKeyOptions(line, remote.keys);
}

bool IsRemote(const RemoteRunnerOptions& remote) {
  if (remote.tracker.empty()) return false;
  if (remote.key.empty())
    throw Error(ExitCode::kUsage, "--tracker needs --key; `hone devices --tracker` lists the keys");
  return true;
}

}  // namespace hone

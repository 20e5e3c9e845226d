#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "cli/command_line.h"
#include "cli/key_options.h"
#include "cli/stop.h"
#include "core/text/printable.h"
#include "lab/files/write_file.h"
#include "rpc_runner/keys/tracker_context.h"
#include "rpc_runner/tracker/tracker.h"

namespace hone {
namespace {

// The IPv4 address of this machine's first interface that others reach; its host name if there is none.
std::string ThisMachinesAddress() {
  std::string address(256, '\0');
  ifaddrs* interfaces = nullptr;
  bool is_found = false;
  if (getifaddrs(&interfaces) == 0) {
    for (const ifaddrs* at = interfaces; at != nullptr && !is_found; at = at->ifa_next) {
      const bool reached = (at->ifa_flags & IFF_UP) != 0 && (at->ifa_flags & IFF_LOOPBACK) == 0;
      is_found = reached && at->ifa_addr != nullptr && at->ifa_addr->sa_family == AF_INET &&
                 getnameinfo(at->ifa_addr, sizeof(sockaddr_in), address.data(), address.size(), nullptr, 0,
                             NI_NUMERICHOST) == 0;
    }
    freeifaddrs(interfaces);
  }
  if (!is_found && gethostname(address.data(), address.size()) != 0) return "THIS_MACHINE";
  address.resize(address.find('\0'));
  return address;
}

// An address that runners can dial.
std::string DialledAddress(const std::string& bound) {
  for (const std::string_view any : {"tcp://0.0.0.0:", "tcp://[::]:"}) {
    if (bound.starts_with(any)) return "tcp://" + ThisMachinesAddress() + bound.substr(any.size() - 1);
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
  line.Add("--on-quarantine", options.hooks.on_quarantine, "shell command for a device that became slow");
  line.Add("--on-lost", options.hooks.on_lost, "shell command for a device that fell silent");
  line.Add("--audit", audit, "file for the audit").Default("audit.jsonl in the key folder").Writes();
  if (!line.Parse(arguments)) return 0;
  options.keys = TrackerKeys(folder, audit);
  if (!options.keys.folder.empty()) {
    const KeyFolder keys(options.keys.folder);
    for (const std::string& path : {keys.secret(), keys.list(), keys.enrolments()}) OutputGuard::Own().AddInput(path);
  }
  for (const std::string& path : {options.port_file, audit}) OutputGuard::Own().Check(path);
  // Fails before anything is printed.
  RequireTrustedKeys(options.keys, options.bind);
  ServeTracker(options, CatchStopSignals(), [&line](const std::string& address) {
    line.Next("hone runner --tracker " + DialledAddress(address) + " --key NAME");
  });
  return StopExitCode(0);
}

}  // namespace hone

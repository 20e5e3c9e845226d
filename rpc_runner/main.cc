// hone-runner: offers this machine to tuners. Has no LLVM and no SQLite, so that it can be copied to a device.
#include <fmt/format.h>
#ifdef HONE_STATIC_LIBC
#include <nss.h>
#endif
#include <signal.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"
#include "core/text/spelling.h"
#include "core/version.h"
#include "rpc_runner/adapter/adapter_sandbox.h"
#include "rpc_runner/adapter/runtime_host.h"
#include "rpc_runner/device/runner_server.h"
#include "rpc_runner/device/upgrade/program_upgrade.h"
#include "rpc_runner/executor/executor.h"
#include "rpc_runner/health/golden_history.h"
#include "rpc_runner/keys/client_keys.h"
#include "rpc_runner/keys/key_file.h"
#include "rpc_runner/local_runner.h"
#include "rpc_runner/process/spawned_program.h"
#include "rpc_runner/process/standard_streams.h"
#include "rpc_runner/tracker/ask_tracker.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {
namespace {

constexpr const char* kUsage =
    "usage: hone-runner --tracker tcp://HOST:PORT --key NAME [options]\n"
    "  --label NAME            this device's name among those of its device key (the host's)\n"
    "  --direct                also let tuners of this machine connect without the tracker, if it has no keys\n"
    "  --bind tcp://HOST:PORT  with --direct, address to listen at; port * picks one (tcp://127.0.0.1:*)\n"
    "  --cores SET             CPUs to time on: a list as in 0,2-3, or words as in big, cortex-a72, nosmt+node0 (all\n"
    "                          that are allowed)\n"
    "  --max-deadline TIME     longest time that a candidate may take, whatever its job says (60s)\n"
    "  --max-memory SIZE       most memory of one job, as in 512M, 4G (3/4 of the machine's)\n"
    "  --max-package SIZE      most parameters and inputs of one package (1/4 of the machine's memory)\n"
    "  --max-cache SIZE        memory for parameters and inputs that are kept for later (1/8 of the machine's)\n"
    "  --user NAME             when started by root, user to run candidates as (nobody)\n"
    "  --require-isolation A,B do not start without these, as in seccomp,landlock; hone devices shows them\n"
    "  --runtime NAME=PROGRAM  offer another runtime by its adapter, in a sandbox; the NAME alone of an installed "
    "one;\n"
    "                          may be repeated (none)\n"
    "  --runtime-reads PATH    a file or folder that adapters may read besides their own and the system's "
    "(repeatable)\n"
    "  --emulator COMMAND      the emulator that this runs under, as in qemu-aarch64-static; candidates run\n"
    "                          under it, too\n"
    "  --lifetime TIME         end after this time, as in 30s, 10m, 2h (never)\n"
    "  --max-jobs N            end after this many jobs (never)\n"
    "  --once                  end when the first lease is over\n"
    "  --health on|off         watch this device's speed, and leave while it is slow (on)\n"
    "  --identity FILE         this machine's secret key ($HONE_IDENTITY, else ~/.config/hone/identity)\n"
    "  --server-key KEY|FILE   the tracker's public key ($HONE_SERVER_KEY, else as known_trackers there says)\n"
    "  --enroll CODE           register this machine's key with a code of hone key enroll; without --key, then end\n"
    "  --upgrade-key FILE      take programs of `hone devices upgrade` that this signing key has signed (never)\n"
    "  --version               print versions and end\n";

// Limits name lookup to these methods: others that the system may be set to use are libraries for its own libc.
void LookUpNamesAlone() {
#ifdef HONE_STATIC_LIBC
  __nss_configure_lookup("hosts", "files dns");
  __nss_configure_lookup("passwd", "files");
#endif
}

constexpr int64_t kTrialAnswerNs = 10'000'000'000;

std::atomic<bool> g_stop{false};

void OnStop(int) { g_stop = true; }

int64_t ParseNumber(std::string_view text, std::string_view option, int64_t most) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > most) {
    throw Error(ExitCode::kUsage, fmt::format("{} {}: a number from 0 to {} would be right", option, text, most));
  }
  return value;
}

struct Arguments {
  RunnerServerOptions server;
  std::optional<int> executor_fd;
  bool health = true;
  std::string enroll;       // a code
  std::string upgrade_key;  // a file
  bool version = false;
  bool trial = false;  // started by a runner that may be upgraded to this program
  bool help = false;
};

// The names that begin lines of the usage text.
std::vector<std::string> OptionNames() {
  std::vector<std::string> names;
  for (const std::string_view line : Split(kUsage, '\n')) {
    if (!line.starts_with("  --")) continue;
    const std::string_view name = line.substr(2);
    names.emplace_back(name.substr(0, name.find(' ')));
  }
  return names;
}

[[noreturn]] void RefuseOption(std::string_view name, std::string_view why) {
  throw Error(ExitCode::kUsage, fmt::format("{} {}{}; see hone-runner --help", Printable(std::string(name)), why,
                                            DidYouMean(name, OptionNames())));
}

void SetOption(std::string_view name, std::string_view value, Arguments* arguments) {
  RunnerServerOptions& server = arguments->server;
  if (name == "--tracker") {
    server.tracker = value;
  } else if (name == "--key") {
    server.key = value;
  } else if (name == "--label") {
    server.label = value;
  } else if (name == "--runtime") {
    server.runtimes.emplace_back(value);
  } else if (name == "--runtime-reads") {
    server.runtime_reads.emplace_back(value);
  } else if (name == "--bind") {
    server.bind = value;
  } else if (name == "--lifetime") {
    server.lifetime_ns = ParseDuration(value);
  } else if (name == "--max-jobs") {
    server.max_jobs = ParseNumber(value, name, int64_t{1} << 40);
  } else if (name == "--health" && (value == "on" || value == "off")) {
    arguments->health = value == "on";
  } else if (name == "--identity") {
    server.keys.identity = value;
  } else if (name == "--server-key") {
    server.keys.server_key = value;
  } else if (name == "--upgrade-key") {
    arguments->upgrade_key = value;
  } else if (name == "--enroll") {
    arguments->enroll = value;
  } else if (name == "--executor") {
    arguments->executor_fd = static_cast<int>(ParseNumber(value, name, 1 << 20));
  } else if (!ExecutorOptionFrom(name, value, &server.executor)) {
    RefuseOption(name, "is not an option");
  }
}

Arguments ParseArguments(int argc, char** argv) {
  Arguments arguments;
  if (const char* key = std::getenv("HONE_SERVER_KEY")) arguments.server.keys.server_key = key;
  for (int i = 1; i < argc; ++i) {
    std::string_view name = argv[i];
    if (name == "--version") {
      arguments.version = true;
    } else if (name == "--trial") {
      arguments.trial = true;
    } else if (name == "--direct") {
      arguments.server.direct = true;
    } else if (name == "--once") {
      arguments.server.once = true;
    } else if (name == "--help" || name == "-h") {
      arguments.help = true;
    } else if (const size_t equals = name.find('='); equals != name.npos) {
      SetOption(name.substr(0, equals), name.substr(equals + 1), &arguments);
    } else if (i + 1 < argc) {
      SetOption(name, argv[++i], &arguments);
    } else {
      RefuseOption(name, "wants a value or is not an option");
    }
  }
  if (!arguments.upgrade_key.empty() && !arguments.server.executor.emulator.empty()) {
    throw Error(ExitCode::kUsage, "--upgrade-key and --emulator exclude each other: start another file instead");
  }
  arguments.server.executor.program = ThisProgramsPath();
  return arguments;
}

// Checks everything that could keep the program from serving as the running one does, without serving.
int Try(const RunnerServerOptions& options) {
  LocalRunner(options.executor).Describe();
  if (!options.runtimes.empty()) RuntimeHost(options.runtimes, options.runtime_reads, options.executor);
  QueryTracker(options.tracker, kTrialAnswerNs, options.keys);
  return 0;
}

UpgradeOptions UpgradesSignedBy(const std::string& path, const std::vector<std::string>& words) {
  const std::string text = ReadKeyFile(path, Secrecy::kProtected, "the upgrade key");
  return {SigningPublicKey::Parse(text), words};
}

// `words` are the program's arguments.
int Run(const Arguments& arguments, const std::vector<std::string>& words) {
  if (arguments.help) {
    WriteToStdout(kUsage);
    return 0;
  }
  if (arguments.version) {
    WriteToStdout(fmt::format("hone-runner {} (protocol {})\n", HoneVersion(), kProtocolVersion));
    return 0;
  }
  if (arguments.executor_fd) return ExecutorMain(*arguments.executor_fd, arguments.server.executor);
  if (!arguments.enroll.empty() && !arguments.server.tracker.empty()) {
    const Enrolled enrolled = EnrolAt(arguments.server.tracker, arguments.enroll, arguments.server.keys);
    WriteToStderr(PrintableLines(
        fmt::format("enrolled as \"{}\" ({}) with the key {}\n", enrolled.name, enrolled.roles, enrolled.identity)));
    if (arguments.server.key.empty()) return 0;
  }
  if (arguments.server.tracker.empty() || arguments.server.key.empty()) {
    throw Error(ExitCode::kUsage, "--tracker tcp://HOST:PORT and --key NAME are wanted; see hone-runner --help");
  }
  if (arguments.trial) return Try(arguments.server);
  struct sigaction action = {};
  action.sa_handler = OnStop;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  RunnerServerOptions server = arguments.server;
  if (!arguments.upgrade_key.empty()) server.upgrade = UpgradesSignedBy(arguments.upgrade_key, words);
  if (arguments.health) server.health = HealthOptions{StateFolder(), server.executor.cores, {}};
  const RunnerEnding ending = ServeRunner(server, &g_stop);
  if (ending == RunnerEnding::kUpgraded) Become(server.executor.program, words);
  return 0;
}

}  // namespace
}  // namespace hone

#ifdef HONE_STATIC_LIBC
// The C++ library's own handler prints the exception's name, for which it needs 60 kB of tables and code.
namespace __gnu_cxx {
void __verbose_terminate_handler();
void __verbose_terminate_handler() {
  hone::WriteToStderr("hone-runner: ended by an uncaught exception\n");
  std::abort();
}
}  // namespace __gnu_cxx
#endif

int main(int argc, char** argv) {
  hone::PrepareStandardStreams();
  hone::LookUpNamesAlone();
  try {
    if (argc > 2 && argv[1] == std::string_view(hone::kSandboxWord)) return hone::SandboxMain({argv + 2, argv + argc});
    const int code = hone::Run(hone::ParseArguments(argc, argv), {argv + 1, argv + argc});
    hone::FlushStdout();
    return code;
  } catch (const hone::Error& error) {
    hone::WriteToStderr(hone::ErrorLine("hone-runner", error.what()));
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    hone::WriteToStderr(hone::ErrorLine("hone-runner", error.what()));
    return static_cast<int>(hone::ExitCode::kBug);
  }
}

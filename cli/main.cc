// The program `hone`. Every command is one row here and one file cmd_NAME.cc.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "cli/command.h"
#include "core/error.h"
#include "core/text/printable.h"
#include "lab/machine/versions.h"
#include "lab/text/print.h"
#include "lab/text/print_json.h"
#include "tuner/compile/compiler_main.h"

namespace hone {

const std::vector<Command>& AllCommands() {
  static const std::vector<Command> commands = {
      {"build", "builds a package from a model and the best records", BuildCommand, "Models"},
      {"run", "runs a package, or one node of a model", RunCommand, "Models"},
      {"verify", "compares a package with the reference", VerifyCommand, "Models"},
      {"bench", "times packages, interleaved", BenchCommand, "Models"},
      {"profile", "shows where a package's time goes", ProfileCommand, "Models"},
      {"explain", "shows why a record is fast", ExplainCommand, "Models"},
      {"inspect", "shows a model's contents and tuning tasks", InspectCommand, "Models"},
      {"quantize", "makes an 8-bit ONNX model from a float one", QuantizeCommand, "Models"},
      {"package", "shows, joins, exports and unpacks packages", PackageCommand, "Models"},
      {"zoo", "lists the test networks, or writes one as ONNX", ZooCommand, "Models"},
      {"tune", "searches for a model's best kernels and stores them", TuneCommand, "Tuning and records"},
      {"log", "lists, ranks, shares and maintains records", LogCommand, "Tuning and records"},
      {"report", "writes a web page about a store", ReportCommand, "Tuning and records"},
      {"dashboard", "serves a live page of tunings, devices and queues", DashboardCommand, "Tuning and records"},
      {"compare", "compares models across devices", CompareCommand, "Tuning and records"},
      {"space", "lists the schedules of a workload and their knobs", SpaceCommand, "Tuning and records"},
      {"tracker", "matches tuners with runners", TrackerCommand, "Devices"},
      {"runner", "offers this machine to a tracker", RunnerCommand, "Devices"},
      {"devices", "lists, reserves and upgrades the runners of a tracker", DevicesCommand, "Devices"},
      {"doctor", "checks this machine and says what to change", DoctorCommand, "Devices"},
      {"targets", "lists the known CPUs, and what is assumed of them", TargetsCommand, "Devices"},
      {"ops", "lists the known operators", OpsCommand, "Devices"},
      {"keygen", "makes a key for you or for a tracker", KeygenCommand, "Keys"},
      {"authorize", "admits a key to this machine's tracker", AuthorizeCommand, "Keys"},
      {"revoke", "removes keys from a tracker's list", RevokeCommand, "Keys"},
      {"keys", "lists the keys that this machine's tracker admits", KeysCommand, "Keys"},
      {"enroll", "prints a one-time code for a new machine", EnrollCommand, "Keys"},
      {"join", "registers your key at a tracker with such a code", JoinCommand, "Keys"},
      {"completion", "prints the completion for a shell", CompletionCommand, "Shell"},
      {"man", "prints the manual of all commands", ManCommand, "Shell"},
  };
  return commands;
}

namespace {

int RunProgram(const Arguments& arguments) {
  if (!arguments.empty() && arguments[0] == "--version") {
    if (arguments.size() > 1 && arguments[1] == "--json") {
      PrintJson(VersionJson());
    } else {
      Print("{}", VersionText());
    }
    return 0;
  }
  return RunNamedCommand("hone", "hone tune model.onnx --budget 10m", AllCommands(), arguments);
}

int Fail(ExitCode code, std::string_view message) {
  std::fflush(stdout);
  WriteToStderr(ErrorLine("hone", message));
  return static_cast<int>(code);
}

// Flushes stdout, because a full disk shows only then.
int Flushed(int code) {
  FlushStdout();
  return code;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  // tuner/compile/launcher.c starts the program under this name.
  if (argc > 0 && std::string_view(argv[0]) == "hone-compiler") return hone::CompilerMain(argc, argv);
  hone::PrepareStandardStreams();
  // A file that exceeds its size limit then gives an ordinary error. This is a handler because spawned programs would
  // inherit SIG_IGN.
  std::signal(SIGXFSZ, [](int) {});
  try {
    return hone::Flushed(hone::RunProgram(hone::Arguments(argv + (argc > 0 ? 1 : 0), argv + argc)));
  } catch (const hone::Error& e) {
    return hone::Fail(e.code(), e.what());
  } catch (const std::bad_alloc&) {
    return hone::Fail(hone::ExitCode::kIo, "out of memory; a smaller model or batch is right, or a larger machine");
  } catch (const std::filesystem::filesystem_error& e) {
    if (e.code() != std::errc::permission_denied) return hone::Fail(hone::ExitCode::kIo, e.what());
    return hone::Fail(hone::ExitCode::kNotAuthorised,
                      fmt::format("{} may not be read, or a folder on its way not entered", e.path1().string()));
  } catch (const std::system_error& e) {
    return hone::Fail(hone::ExitCode::kIo, e.what());
  } catch (const std::exception& e) {
    return hone::Fail(hone::ExitCode::kBug, fmt::format("this is a bug of hone, please report it: {}", e.what()));
  }
}

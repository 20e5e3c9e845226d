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
      {"zoo", "lists the test networks, or writes one as ONNX", ZooCommand},
      {"inspect", "what is in a model: summary, text, walk, tuning tasks", InspectCommand},
      {"ops", "the operators that are known", OpsCommand},
      {"space", "the schedules of a workload and their knobs", SpaceCommand},
      {"quantize", "makes an 8-bit ONNX model of a float one", QuantizeCommand},
      {"tune", "searches for a model's best kernels and keeps every result", TuneCommand},
      {"build", "builds a package from a model with the best records", BuildCommand},
      {"run", "runs a package", RunCommand},
      {"bench", "times packages, interleaved", BenchCommand},
      {"profile", "where a package's time goes: nodes, roofs, traces", ProfileCommand},
      {"verify", "compares a package with the reference", VerifyCommand},
      {"package", "info on a package, or its parts as files", PackageCommand},
      {"log", "lists, ranks, imports and exports tuning records", LogCommand},
      {"explain", "why a record is fast: knobs, roofline, assembly", ExplainCommand},
      {"compare", "models across devices: records, bench results, or measured now", CompareCommand},
      {"report", "what a store knows as one HTML page", ReportCommand},
      {"dashboard", "tunings, devices and queues as they happen, as a page in a browser", DashboardCommand},
      {"tracker", "matches tuners with runners", TrackerCommand},
      {"runner", "offers this machine to a tracker", RunnerCommand},
      {"devices", "who is connected to a tracker", DevicesCommand},
      {"keygen", "makes a key for this user, or a tracker's key folder", KeygenCommand},
      {"authorize", "lets a key in at this machine's tracker", AuthorizeCommand},
      {"revoke", "takes keys out of a tracker's list", RevokeCommand},
      {"keys", "whom this machine's tracker admits", KeysCommand},
      {"enroll", "prints a one-time code for a new machine", EnrollCommand},
      {"join", "brings this user's key to a tracker under such a code", JoinCommand},
      {"targets", "the CPUs that are known, and what is assumed of them", TargetsCommand},
      {"completion", "what a shell needs to complete commands and options", CompletionCommand},
      {"man", "the manual of all commands", ManCommand},
      {"doctor", "checks this machine and says what to change", DoctorCommand},
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
  return RunNamedCommand("hone", AllCommands(), arguments);
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

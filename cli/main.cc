// The program `hone`.
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
#include "tuner/compile/compile_worker.h"

namespace hone {
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

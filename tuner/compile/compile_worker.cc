#include "tuner/compile/compile_worker.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <new>
#include <string>

#include "compiler/compile_kernel.h"
#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"
#include "rpc_runner/machine/cpus.h"
#include "rpc_runner/process/standard_streams.h"
#include "rpc_runner/wire/protocol.h"
#include "tuner/compile/compile_message.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace hone {
namespace {

struct Limits {
  int fd = -1;
  int64_t memory_bytes = 0;
  int64_t deadline_ns = 0;
  std::vector<int> cores;
};

int64_t Number(const std::map<std::string, std::string>& options, const std::string& name) {
  const auto it = options.find(name);
  const auto number = it == options.end() ? std::nullopt : ParseInteger(it->second);
  if (!number || *number < 1) {
    throw Error(ExitCode::kUsage, fmt::format("hone-compiler is started by hone tune: {} is missing or wrong", name));
  }
  return *number;
}

std::vector<int> CoreList(std::string_view text) {
  std::vector<int> cores;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (const auto core = ParseInteger(text.substr(0, comma))) cores.push_back(static_cast<int>(*core));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return cores;
}

Limits ParseArguments(int argc, char** argv) {
  std::map<std::string, std::string> options;
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  Limits limits;
  limits.fd = static_cast<int>(Number(options, "--fd"));
  limits.memory_bytes = Number(options, "--memory");
  limits.deadline_ns = Number(options, "--deadline");
  limits.cores = CoreList(options["--cores"]);
  return limits;
}

void LimitMemory(int64_t bytes) {
  rlimit none{0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  rlimit limit{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
  (void)setrlimit(RLIMIT_AS, &limit);
#else
  (void)bytes;  // a sanitizer reserves terabytes
#endif
}

// If the tuner is gone, only this limit ends a compiler that hangs.
void AllowOneMoreRequest(int64_t deadline_ns) {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  rlimit limit{};
  if (getrlimit(RLIMIT_CPU, &limit) != 0) return;
  const int64_t seconds = used.ru_utime.tv_sec + used.ru_stime.tv_sec + deadline_ns / 1'000'000'000 + 3;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, static_cast<rlim_t>(seconds));
  (void)setrlimit(RLIMIT_CPU, &limit);
}

// Each candidate takes and frees megabytes. If they went back to the system, the next candidate would fault them in
// again.
void KeepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_TOP_PAD, 16 << 20);
#endif
}

CompileAnswer Answer(const CompileRequest& request, const Compilers& compilers) {
  if (const auto* candidate = std::get_if<Candidate>(&request)) return compilers.kernel(*candidate);
  const auto& reference = std::get<ReferenceRequest>(request);
  return compilers.reference(reference.workload, reference.target);
}

// The compiler's limit is the same everywhere. A candidate that needs more is at fault; a system that gives less is
// not the candidate's fault.
Rejection NoMemory(int64_t memory_bytes) {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  if (HadItsMemory(int64_t{used.ru_maxrss} << 10, memory_bytes)) {
    return {Fate::kCompileFailed, "the compiler ran out of the memory it may have"};
  }
  return {Fate::kCancelled, "the system gave the compiler no memory", ExitCode::kIo};
}

// Returns false when the process should end.
bool Serve(const Limits& limits, const Frame& frame, const Compilers& compilers) {
  bool sound = true;
  CompileAnswer answer;
  try {
    answer = Answer(RequestFromFrame(frame), compilers);
  } catch (const std::bad_alloc&) {
    answer = NoMemory(limits.memory_bytes);
    sound = false;
  } catch (const std::exception& error) {
    answer = FailureOf(error, Fate::kCompileFailed);
  }
  Frame out = AnswerToFrame(answer);
  if (!sound) out.header["leaving"] = true;
  return WriteFrame(limits.fd, out) && sound;
}

}  // namespace

int CompileWorkerMain(int argc, char** argv, const Compilers& compilers) {
  try {
    const Limits limits = ParseArguments(argc, argv);
    signal(SIGPIPE, SIG_IGN);
    LimitMemory(limits.memory_bytes);
    // Cores may have gone since. Compiling elsewhere is slower or disturbs timing, but still works.
    if (!limits.cores.empty()) (void)BindTo(limits.cores);
    KeepFreedMemory();
    if (!WriteFrame(limits.fd, HelloFrame())) return static_cast<int>(ExitCode::kIo);
    Frame frame;
    do {
      AllowOneMoreRequest(limits.deadline_ns);
    } while (ReadFrame(limits.fd, &frame) && Serve(limits, frame, compilers));
    return static_cast<int>(ExitCode::kDone);
  } catch (const Error& error) {
    WriteToStderr(ErrorLine("hone-compiler", error.what()));
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    WriteToStderr(ErrorLine("hone-compiler", error.what()));
    return static_cast<int>(ExitCode::kIo);
  }
}

int CompilerMain(int argc, char** argv) {
  return CompileWorkerMain(argc, argv,
                           {[](const Candidate& candidate) { return CompileKernel(candidate); }, CompileReference});
}

}  // namespace hone

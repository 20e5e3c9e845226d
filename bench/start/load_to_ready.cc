// Measures how soon a package is ready in a new process, and how much memory of the file is private to a second
// process. Uses only the C API.
//   hone_bench_load_to_ready PACKAGE [RUNS]
// Each run is a new process beside this one, which holds the package and has run it. Always exits with 0: "met" and
// "MISSED" depend on the machine.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/hone.h"

namespace {

constexpr double kGoalMs = 5;
constexpr int kRuns = 15;

struct Start {
  double wall_ms = 0;
  double cpu_ms = 0;
  long own_kb = 0;  // pages of the file's mapping that no other process has, after a run
};

double CpuMs() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

bool Check(hone_status status) {
  if (status != HONE_OK) std::fprintf(stderr, "load_to_ready: %s\n", hone_error_text());
  return status == HONE_OK;
}

// The KiB in Private_Clean and Private_Dirty of this file's mappings.
long OwnKb(const std::string& path) {
  std::ifstream in("/proc/self/smaps");
  bool of_file = false;
  long own = 0;
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(':');
    if (line.find('-') < line.find(' ')) {  // "7f00-7f10 r--p ... PATH" begins a mapping
      of_file = line.ends_with(path);
    } else if (of_file && line.starts_with("Private_")) {
      own += std::stol(line.substr(colon + 1));
    }
  }
  return own;
}

// Loads the package and makes a session on one thread. Runs it once after taking the time.
bool Load(const char* path, Start* start) {
  hone_package* package = nullptr;
  hone_session* session = nullptr;
  const double cpu = CpuMs();
  const auto begin = std::chrono::steady_clock::now();
  if (!Check(hone_package_load(path, &package)) || !Check(hone_session_create(package, 1, &session))) return false;
  start->wall_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  start->cpu_ms = CpuMs() - cpu;
  if (!Check(hone_session_run(session))) return false;
  start->own_kb = OwnKb(std::filesystem::canonical(path));
  return true;
}

// Starts this program again in a new process, which writes its Start to a pipe.
bool InAnotherProcess(char* self, char* path, Start* start) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  std::string pipe_end = std::to_string(ends[1]), word = "--child";
  char* arguments[] = {self, word.data(), path, pipe_end.data(), nullptr};
  pid_t child = 0;
  const bool begun = posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments, environ) == 0;
  close(ends[1]);
  const bool told = begun && read(ends[0], start, sizeof(*start)) == sizeof(*start);
  close(ends[0]);
  if (begun) waitpid(child, nullptr, 0);
  return told;
}

int Child(const char* path, int pipe_end) {
  Start start;
  return Load(path, &start) && write(pipe_end, &start, sizeof(start)) == sizeof(start) ? 0 : 1;
}

void Print(const char* what, std::vector<double> ms) {
  std::sort(ms.begin(), ms.end());
  std::printf("%-32s least %6.2f ms, median %6.2f ms (goal %g: %s)\n", what, ms.front(), ms[ms.size() / 2], kGoalMs,
              ms[ms.size() / 2] <= kGoalMs ? "met" : "MISSED");
}

int ToNumber(const std::string& text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "--child") return Child(argv[2], ToNumber(argv[3]));
  const int runs = argc == 3 ? ToNumber(argv[2]) : kRuns;
  if (argc < 2 || argc > 3 || runs < 1) {
    std::fprintf(stderr, "usage: hone_bench_load_to_ready PACKAGE [RUNS, %d when left out]\n", kRuns);
    return 2;
  }
  Start here;
  if (!Load(argv[1], &here)) return 1;
  std::vector<double> wall, cpu;
  long own_kb = 0;
  for (int run = 0; run < runs; ++run) {
    Start start;
    if (!InAnotherProcess(argv[0], argv[1], &start)) return 1;
    wall.push_back(start.wall_ms);
    cpu.push_back(start.cpu_ms);
    own_kb = std::max(own_kb, start.own_kb);
  }
  Print("load to ready, by the clock", wall);
  Print("load to ready, CPU time", cpu);
  std::printf("%-32s %ld KiB of the package's file (goal 0: %s)\n", "a second process has for itself", own_kb,
              own_kb == 0 ? "met" : "MISSED");
  return 0;
}

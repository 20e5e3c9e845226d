// Durations come from a monotonic clock. The time of day is only a label, and few places read it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

// The files that read it, and their purposes.
const std::set<std::string>& MayReadTheTimeOfDay() {
  static const std::set<std::string> files = {
      "lab/bench/machine_context.cc",        // the time of a benchmark
      "cli/commands/cmd_key.cc",             // the time until which a code is valid, and the keys that have expired
      "cli/commands/log/chosen_records.cc",  // the records older than a duration
      "lab/dashboard/dashboard_watch.cc",    // the time since which a source has not answered
      "lab/files/fresh_file.cc",             // whether a file was left behind: file times use it, too
      "rpc_runner/keys/audit.cc",            // the time of an audit line
      "rpc_runner/keys/gatekeeper.cc",       // the keys and codes that have expired
      "tuner/tune_tools.cc",                 // the time of a record
  };
  return files;
}

const std::regex& TimeOfDay() {
  static const std::regex calls(
      "system_clock|high_resolution_clock|utc_clock|CLOCK_REALTIME|gettimeofday *\\(|\\bftime *\\(|timespec_get|"
      "[^_a-zA-Z.>]time *\\( *(nullptr|NULL|0|&)");
  return calls;
}

TEST(Clocks, TheTimeOfDayIsReadWhereItIsALabel) {
  const fs::path root = HONE_SOURCE_DIR;
  std::set<std::string> readers;
  for (const char* room : {"core", "compiler", "db", "runtime", "rpc_runner", "tuner", "lab", "cli"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cc" && extension != ".h" && extension != ".c") continue;
      const std::string file = fs::relative(entry.path(), root).generic_string();
      std::ifstream in(entry.path());
      std::string line;
      for (int number = 1; std::getline(in, line); ++number) {
        if (!std::regex_search(line, TimeOfDay())) continue;
        readers.insert(file);
        EXPECT_TRUE(MayReadTheTimeOfDay().count(file) > 0) << fmt::format(
            "{}:{} reads the time of day, which jumps: MonotonicNs() measures durations: {}", file, number, line);
      }
    }
  }
  EXPECT_EQ(readers, MayReadTheTimeOfDay()) << "the list names files that do not";
}

}  // namespace

// The include arrows between the rooms, and the walls around the big libraries: docs/why/design.md, "Rooms".
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Include {
  std::string file;  // path from the source root
  int line = 0;
  std::string target;
  bool angled = false;
};

// The other rooms that each room may include.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"core", {}},
    {"compiler", {"core"}},
    {"db", {"core"}},
    {"runtime", {"core"}},
    {"rpc_runner", {"core", "runtime"}},
    {"tuner", {"core", "compiler", "db", "runtime", "rpc_runner"}},
    {"lab", {"core", "compiler", "db", "runtime", "rpc_runner", "tuner"}},
    {"cli", {"core", "compiler", "db", "runtime", "rpc_runner", "tuner", "lab"}},
};

// Rooms inside the rooms, and the parts of its own room that each may include: folders with everything beneath them,
// and single headers. Files directly in a room's folder may include all of the room. The files of operators are in
// rooms by their roles, as Seat says.
const std::map<std::string, std::set<std::string>> kSubRoomMayInclude = {
    {"compiler/relay", {}},
    {"compiler/codegen", {}},
    {"compiler/schedules", {"compiler/codegen"}},
    {"compiler/generic", {"compiler/codegen", "compiler/relay", "compiler/schedules"}},
    {"compiler/ops/op", {"compiler/relay", "compiler/ops/families.def"}},
    {"compiler/ops/onnx", {"compiler/ops/op", "compiler/frontend/onnx", "compiler/relay", "compiler/ops/families.def"}},
    {"compiler/ops/kernel",
     {"compiler/ops/op", "compiler/generic", "compiler/codegen", "compiler/relay", "compiler/schedules",
      "compiler/ops/families.def"}},
    {"compiler/frontend/onnx", {"compiler/relay"}},
    {"compiler/frontend/export", {"compiler/frontend/onnx", "compiler/ops/op", "compiler/relay"}},
    {"compiler/frontend/quantise", {"compiler/frontend/onnx", "compiler/quantise"}},
    {"compiler/frontend/zoo", {"compiler/ops/op", "compiler/relay"}},
    {"compiler/quantise", {}},
    {"compiler/passes", {"compiler/ops/op", "compiler/relay", "compiler/schedules", "compiler/codegen"}},
    {"compiler/passes/graph", {"compiler/ops/op", "compiler/relay", "compiler/ops/attention/kernel.h"}},
    {"compiler/passes/rules", {"compiler/passes/graph", "compiler/ops/op", "compiler/relay"}},
    {"compiler/passes/quantised", {"compiler/passes/graph", "compiler/ops/op", "compiler/relay"}},
    {"compiler/passes/fusion",
     {"compiler/passes/graph", "compiler/ops/op", "compiler/relay", "compiler/ops/attention/kernel.h"}},
    {"compiler/passes/layouts", {"compiler/passes/graph", "compiler/relay", "compiler/schedules"}},
    {"compiler/plan",
     {"compiler/passes/graph", "compiler/passes/layouts", "compiler/relay", "compiler/schedules", "compiler/generic",
      "compiler/ops/kernel", "compiler/codegen", "compiler/compile_kernel.h"}},
    {"rpc_runner/machine", {}},
    {"rpc_runner/process", {"rpc_runner/machine"}},
    {"rpc_runner/wire", {"rpc_runner/process", "rpc_runner/runner.h"}},
    {"rpc_runner/health", {"rpc_runner/machine", "rpc_runner/process", "rpc_runner/wire"}},
    {"rpc_runner/keys", {"rpc_runner/wire", "rpc_runner/process"}},
    {"rpc_runner/tracker",
     {"rpc_runner/keys", "rpc_runner/wire", "rpc_runner/machine", "rpc_runner/process", "rpc_runner/health"}},
    {"rpc_runner/device/upgrade", {"rpc_runner/process"}},
    {"rpc_runner/adapter",
     {"rpc_runner/executor/sandbox", "rpc_runner/executor/job_limits.h", "rpc_runner/wire", "rpc_runner/machine",
      "rpc_runner/process", "rpc_runner/runner.h"}},
    {"rpc_runner/executor",
     {"rpc_runner/wire", "rpc_runner/machine", "rpc_runner/process", "rpc_runner/health/vector_kernels.h",
      "rpc_runner/runner.h"}},
    {"db/care",
     {"db/foreign", "db/sqlite", "db/database.h", "db/store_tables.h", "db/open_database.h", "db/record_log.h",
      "db/record_store.h"}},
    {"db/foreign", {"db/foreign_trial.h", "db/record.h"}},
    {"db/packs", {"db/database.h", "db/open_database.h", "db/record.h", "db/record_log.h", "db/store_tables.h"}},
    {"db/sqlite", {"db/claims.h", "db/database.h", "db/trial_row.h"}},
    {"db/postgresql", {"db/claims.h", "db/database.h", "db/trial_row.h"}},
    {"tuner/compile", {}},
    {"tuner/search/strategies",
     {"tuner/search/strategy.h", "tuner/search/features.h", "tuner/search/boosted_trees.h",
      "tuner/search/search_space.h"}},
    {"tuner/finals",
     {"tuner/search/strategy.h", "tuner/trial.h", "tuner/tune_tools.h", "tuner/tuner.h", "tuner/tuning_task.h",
      "tuner/finals_outcome.h"}},
    {"lab/text", {}},
    {"lab/files", {}},
    {"lab/comparison",
     {"lab/text", "lab/files", "lab/bench_format.h", "lab/model/build_model.h", "lab/machine/device_name.h",
      "lab/machine/machine.h", "lab/model/model.h", "lab/model/options_of_each.h", "lab/machine/package_there.h",
      "lab/profile/profile.h", "lab/records/records.h", "lab/records/best_records.h"}},
    {"lab/history",
     {"lab/bench/verdict.h", "lab/bench_format.h", "lab/comparison", "lab/machine/device_name.h",
      "lab/records/best_records.h", "lab/records/diff_records.h", "lab/files", "lab/text"}},
    {"lab/quantise", {"lab/text", "lab/files", "lab/model/inputs.h", "lab/machine/machine.h", "lab/model/model.h"}},
    {"lab/report",
     {"lab/comparison", "lab/history", "lab/text", "lab/machine/device_name.h", "lab/records/best_records.h",
      "lab/records/diff_records.h"}},
    {"lab/dashboard",
     {"lab/report", "lab/text", "lab/machine/device_name.h", "lab/machine/fleet_table.h", "lab/records/records.h"}},
    {"cli/printing", {}},
};

// A library's headers, and the folders that may include them.
struct Wall {
  std::string library;
  std::regex headers;
  std::vector<std::string> folders;
};
const std::vector<Wall>& Walls() {
  static const std::vector<Wall> walls = {
      {"LLVM",
       std::regex("^(llvm|llvm-c|lld)/"),
       {"compiler/codegen/", "compiler/schedules/", "compiler/generic/", "compiler/ops/kernel/"}},
      {"ONNX and protobuf", std::regex("^(onnx|google/protobuf)/"), {"compiler/frontend/"}},
      {"SQLite", std::regex("^sqlite3"), {"db/sqlite/"}},
      {"libpq", std::regex("^(libpq-fe|postgres)"), {"db/postgresql/"}},
      {"zlib", std::regex("^zlib"), {"db/packs/", "lab/files/npz.cc"}},
      {"libcurl", std::regex("^curl/"), {"db/packs/"}},
      {"libmicrohttpd",
       std::regex("^microhttpd"),
       {"lab/dashboard/event_server.cc", "rpc_runner/tracker/http_page.cc"}},
      {"ZeroMQ", std::regex("^zmq"), {"rpc_runner/"}},
      {"CLI11", std::regex("^CLI/"), {"cli/command_line.cc", "cli/option.cc"}},
      // They make up a tenth of a statically linked program, such as hone-runner and libhone.
      {"C++'s streams and locales",
       std::regex("^(fstream|sstream|iostream|istream|ostream|iomanip|locale|regex)$"),
       {"compiler/", "db/", "tuner/", "lab/", "cli/", "runtime/example/"}},
  };
  return walls;
}

std::string RoomOf(const std::string& path) { return path.substr(0, path.find('/')); }

bool LiesIn(const std::string& path, const std::string& folder) { return path.rfind(folder + "/", 0) == 0; }

// The path of a file below compiler/ops with the role that begins its name as a folder. It is
// compiler/ops/op/conv/op.cc for compiler/ops/conv/op.cc. Other paths stay as they are.
std::string Seat(const std::string& path) {
  static const std::regex by_role("^compiler/ops/(.*/)?(op|onnx|kernel)([_.][^/]*)$");
  return std::regex_replace(path, by_role, "compiler/ops/$2/$1$2$3");
}

// The innermost sub-room of the file; empty if it is in none.
std::string SubRoomOf(const std::string& path) {
  std::string found;
  for (const auto& [folder, others] : kSubRoomMayInclude) {
    if (LiesIn(Seat(path), folder) && folder.size() > found.size()) found = folder;
  }
  return found;
}

bool IsSource(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".h" || extension == ".cc" || extension == ".c";
}

void ReadIncludes(const fs::path& root, const fs::path& path, std::vector<Include>& includes) {
  static const std::regex pattern("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"]");
  std::ifstream in(path);
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    std::smatch match;
    if (!std::regex_search(text, match, pattern)) continue;
    includes.push_back({fs::relative(path, root).generic_string(), line, match[2], match[1] == "<"});
  }
}

// Every include of every source of the rooms.
const std::vector<Include>& AllIncludes() {
  static const std::vector<Include> all = [] {
    std::vector<Include> includes;
    const fs::path root = HONE_SOURCE_DIR;
    for (const auto& [room, others] : kMayInclude) {
      for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
        if (entry.is_regular_file() && IsSource(entry.path())) ReadIncludes(root, entry.path(), includes);
      }
    }
    return includes;
  }();
  return all;
}

std::string Place(const Include& include) {
  return fmt::format("{}:{} includes {}", include.file, include.line, include.target);
}

TEST(Includes, RunAlongTheArrowsBetweenRooms) {
  ASSERT_GT(AllIncludes().size(), 100u) << "the sources were not found under " << HONE_SOURCE_DIR;
  for (const Include& include : AllIncludes()) {
    const std::string from = RoomOf(include.file), to = RoomOf(include.target);
    if (kMayInclude.count(to) == 0 || from == to) continue;
    EXPECT_TRUE(kMayInclude.at(from).count(to) > 0) << Place(include) << ": " << from << " may not see " << to;
  }
}

TEST(Includes, RunAlongTheArrowsInsideTheRooms) {
  for (const Include& include : AllIncludes()) {
    const std::string from = SubRoomOf(include.file);
    if (from.empty() || RoomOf(include.file) != RoomOf(include.target) || LiesIn(Seat(include.target), from)) continue;
    const std::set<std::string>& may = kSubRoomMayInclude.at(from);
    const bool allowed = std::any_of(may.begin(), may.end(), [&](const std::string& seen) {
      return include.target == seen || LiesIn(Seat(include.target), seen);
    });
    EXPECT_TRUE(allowed) << Place(include) << ": " << from << " may not see it";
  }
}

// Adds all headers that the file includes, directly or through others.
void Reach(const std::string& file, std::set<std::string>& reached) {
  for (const Include& include : AllIncludes()) {
    if (include.file == file && !include.angled && reached.insert(include.target).second)
      Reach(include.target, reached);
  }
}

TEST(Includes, NoHeaderThatASubRoomSeesLooksIntoThatRoom) {
  for (const auto& [folder, seen] : kSubRoomMayInclude) {
    for (const std::string& header : seen) {
      if (header.size() < 2 || header.substr(header.size() - 2) != ".h") continue;
      std::set<std::string> reached;
      Reach(header, reached);
      for (const std::string& target : reached)
        EXPECT_FALSE(LiesIn(Seat(target), folder)) << header << " sees " << target;
    }
  }
}

bool IsThere(const std::string& place) {
  const auto lies_there = [&](const Include& include) { return LiesIn(Seat(include.file), place); };
  return fs::is_regular_file(fs::path(HONE_SOURCE_DIR) / place) ||
         std::any_of(AllIncludes().begin(), AllIncludes().end(), lies_there);
}

TEST(Includes, EachSubRoomIsThere) {
  for (const auto& [folder, seen] : kSubRoomMayInclude) {
    EXPECT_TRUE(IsThere(folder)) << folder;
    for (const std::string& other : seen) EXPECT_TRUE(IsThere(other)) << other;
  }
}

// The libraries are put together by the roles in the names.
TEST(Includes, EachSourceOfAnOperatorHasARole) {
  for (const Include& include : AllIncludes()) {
    if (!LiesIn(include.file, "compiler/ops")) continue;
    EXPECT_NE(Seat(include.file), include.file) << "its name begins neither with op nor with onnx nor kernel";
  }
}

TEST(Includes, AreWrittenFromTheRoot) {
  for (const Include& include : AllIncludes()) {
    if (include.angled) continue;
    EXPECT_TRUE(fs::exists(fs::path(HONE_SOURCE_DIR) / include.target))
        << Place(include) << ", which is not a path from the root";
  }
}

TEST(Includes, KeepEachBigLibraryBehindItsWall) {
  for (const Include& include : AllIncludes()) {
    for (const Wall& wall : Walls()) {
      if (!std::regex_search(include.target, wall.headers)) continue;
      const bool inside = std::any_of(wall.folders.begin(), wall.folders.end(), [&](const std::string& folder) {
        return Seat(include.file).rfind(folder, 0) == 0;
      });
      EXPECT_TRUE(inside) << Place(include) << ": " << wall.library << " is for "
                          << fmt::format("{}", fmt::join(wall.folders, " "));
    }
  }
}

TEST(Headers, HaveAnIncludeGuard) {
  for (const auto& [room, others] : kMayInclude) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(HONE_SOURCE_DIR) / room)) {
      if (entry.path().extension() != ".h") continue;
      std::ifstream in(entry.path());
      const std::string text((std::istreambuf_iterator<char>(in)), {});
      EXPECT_NE(text.find("#pragma once"), std::string::npos) << entry.path();
    }
  }
}

}  // namespace

// The arrows between the rooms, and the walls around the big libraries: docs/design.md, "Rooms".
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
  std::string file;  // from the source root
  int line = 0;
  std::string target;
  bool angled = false;
};

// Which rooms each room may look into, itself aside.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"core", {}},
    {"compiler", {"core"}},
    {"db", {"core"}},
    {"runtime", {"core"}},
    {"rpc_runner", {"core", "runtime"}},
    {"tuner", {"core", "compiler", "db", "runtime", "rpc_runner"}},
    {"cli", {"core", "compiler", "db", "runtime", "rpc_runner", "tuner"}},
};

// A library's headers, and the folders that may include them.
struct Wall {
  std::string library;
  std::regex headers;
  std::vector<std::string> folders;
};
const std::vector<Wall>& Walls() {
  static const std::vector<Wall> walls = {
      {"LLVM", std::regex("^(llvm|llvm-c|lld)/"), {"compiler/codegen/", "compiler/schedules/", "compiler/generic/"}},
      {"ONNX and protobuf", std::regex("^(onnx|google/protobuf)/"), {"compiler/frontend/"}},
      {"SQLite", std::regex("^sqlite3"), {"db/"}},
      {"ZeroMQ", std::regex("^zmq"), {"rpc_runner/"}},
      {"CLI11", std::regex("^CLI/"), {"cli/command_line.cc"}},
  };
  return walls;
}

std::string RoomOf(const std::string& path) { return path.substr(0, path.find('/')); }

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

// Every include of every source of the seven rooms.
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
      const bool inside = std::any_of(wall.folders.begin(), wall.folders.end(),
                                      [&](const std::string& folder) { return include.file.rfind(folder, 0) == 0; });
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

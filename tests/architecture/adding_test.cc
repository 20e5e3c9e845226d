// Checks docs/adding.md's recipes backwards, from an existing addition. Each place that names it must be one that its
// recipe names. The test fails on a special case elsewhere, or on a step that the recipe lacks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// An addition made by a recipe: its name in code, and the text that replaces NAME in the recipe's paths.
struct Example {
  std::string recipe;  // heading of the recipe
  std::string word;
  std::string name;
  int files = 0;  // number of files that name it, as in the table of docs/adding.md: without ONNX's readers and rules
};
const std::vector<Example> kExamples = {
    {"An operator", "sin", "sin", 2},
    {"An operator", "cos", "cos", 2},
    {"An operator", "logical_not", "logical_not", 2},
    {"An activation", "hard_swish", "hard_swish", 1},
    {"An activation", "nn.silu", "silu", 1},
    {"A schedule", "conv2d_depthwise", "conv2d_depthwise", 2},
    {"A schedule", "Conv2dDepthwise", "conv2d_depthwise", 3},
    {"A knob", "unroll_kh", "conv2d_depthwise", 1},
    {"A strategy", "MakeEvolutionary", "evolutionary", 3},
    {"A pass", "nest_concats", "concats", 1},
    {"A pass", "NestConcats", "concats", 3},
    {"A command", "ZooCommand", "zoo", 3},
    {"A machine", "rvv", "rvv", 2},
    {"A byte-dot instruction", "dotprod", "", 2},
    {"A byte-dot instruction", "i8mm", "", 2},
};

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The text of one recipe; empty if there is none.
std::string RecipeOf(const std::string& heading) {
  const std::string all = ReadAll(fs::path(HONE_SOURCE_DIR) / "docs/adding.md"), mark = "\n## " + heading + "\n";
  const size_t at = all.find(mark);
  if (at == std::string::npos) return "";
  return all.substr(at + mark.size(), all.find("\n## ", at + 1) - at - mark.size());
}

// The path with FAMILY replaced by the folder that has the file, among the sources or what the walk forwards adds.
std::string InItsFamily(const std::string& path) {
  for (const char* family : {"conv2d", "matmul"}) {
    const std::string there = std::regex_replace(path, std::regex("FAMILY"), family);
    for (const char* root : {"", "tests/architecture/added"}) {
      if (fs::exists(fs::path(HONE_SOURCE_DIR) / root / there)) return there;
    }
  }
  return path;
}

// The paths of files and folders that a recipe names.
std::vector<std::string> PathsOf(const Example& example) {
  static const std::regex code("`([a-z_]+/[A-Za-z_./{},]*)`");
  const std::string text = RecipeOf(example.recipe);
  std::vector<std::string> paths;
  for (std::sregex_iterator it(text.begin(), text.end(), code); it != std::sregex_iterator(); ++it) {
    paths.push_back(InItsFamily(std::regex_replace((*it)[1].str(), std::regex("NAME"), example.name)));
  }
  return paths;
}

// A path "a/b.{h,cc}" covers both files, and a folder covers everything beneath it.
bool Covers(const std::string& path, const std::string& file) {
  const size_t brace = path.find('{');
  if (brace != std::string::npos) return file.rfind(path.substr(0, brace), 0) == 0;
  return path == file || (path.back() == '/' && file.rfind(path, 0) == 0);
}

bool Names(const std::string& text, const std::string& word) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !part(text[at - 1]);
    const size_t end = at + word.size();
    if (begins && (end == text.size() || !part(text[end]))) return true;
  }
  return false;
}

struct Source {
  std::string file;  // path from the root
  std::string text;
};

const std::vector<Source>& AllSources() {
  static const std::vector<Source> all = [] {
    std::vector<Source> sources;
    for (const char* room : {"core", "compiler", "db", "runtime", "rpc_runner", "tuner", "lab", "cli"}) {
      for (const auto& entry : fs::recursive_directory_iterator(fs::path(HONE_SOURCE_DIR) / room)) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".h" && extension != ".cc") continue;
        sources.push_back({fs::relative(entry.path(), HONE_SOURCE_DIR).generic_string(), ReadAll(entry.path())});
      }
    }
    return sources;
  }();
  return all;
}

std::vector<std::string> FilesNaming(const std::string& word) {
  std::vector<std::string> files;
  for (const Source& source : AllSources()) {
    if (Names(source.text, word)) files.push_back(source.file);
  }
  return files;
}

TEST(Recipes, NameEveryPlaceThatAnAdditionTouches) {
  for (const Example& example : kExamples) {
    SCOPED_TRACE(fmt::format("{}: {}", example.recipe, example.word));
    const std::vector<std::string> paths = PathsOf(example), files = FilesNaming(example.word);
    EXPECT_FALSE(paths.empty()) << "docs/adding.md has no such recipe, or it names no file";
    EXPECT_FALSE(files.empty()) << "nothing has that name";
    for (const std::string& file : files) {
      EXPECT_TRUE(std::any_of(paths.begin(), paths.end(), [&](const auto& path) { return Covers(path, file); }))
          << file << " names it; the recipe knows " << fmt::format("{}", fmt::join(paths, " "));
    }
  }
}

TEST(Recipes, TouchAsManyFilesAsTheyCount) {
  for (const Example& example : kExamples) {
    const std::vector<std::string> files = FilesNaming(example.word);
    static const std::regex reader("^(compiler/ops/[a-z]+/onnx|compiler/(frontend|passes/rules)/|db/foreign/).*");
    const auto counted = std::count_if(files.begin(), files.end(),
                                       [](const std::string& file) { return !std::regex_match(file, reader); });
    EXPECT_EQ(counted, example.files) << example.word << ": " << fmt::format("{}", fmt::join(files, " "));
  }
}

// A recipe must not name files that are gone.
TEST(Recipes, NameFilesThatAreThere) {
  for (const Example& example : kExamples) {
    for (const std::string& path : PathsOf(example)) {
      if (path.find('{') != std::string::npos || path.rfind("tests/", 0) == 0) continue;
      EXPECT_TRUE(fs::exists(fs::path(HONE_SOURCE_DIR) / path)) << example.recipe << " names " << path;
    }
  }
}

// The files with which walk_recipes_test.cc is linked in place of the libraries' own, with the recipe of each.
const std::vector<Example> kAdded = {
    {"An operator", "compiler/ops/elementwise/op.cc", "triple"},
    {"An operator", "compiler/ops/elementwise/kernel.cc", "triple"},
    {"An activation", "core/activation.cc", "square"},
    {"A schedule", "compiler/schedules/schedule_list.h", "dense_dots"},
    {"A schedule", "compiler/schedules/matmul/dense_dots.cc", "dense_dots"},
    {"A schedule", "compiler/schedules/schedule.cc", "dense_dots"},
    {"A knob", "compiler/schedules/conv2d/conv2d_depthwise.cc", "conv2d_depthwise"},
    {"A byte-dot instruction", "core/machine/cpu_feature_table.cc", "avxvnniint8"},
    {"A byte-dot instruction", "compiler/schedules/parts/register_tile.cc", "avxvnniint8"},
    {"A pass", "compiler/passes/general_passes.h", "drop_double_abs"},
    {"A pass", "compiler/passes/drop_double_abs.cc", "drop_double_abs"},
    {"A pass", "compiler/passes/pass_list.cc", "drop_double_abs"},
    {"A strategy", "tuner/search/strategies/backwards.cc", "backwards"},
    {"A strategy", "tuner/search/strategies/strategies.h", "backwards"},
    {"A strategy", "tuner/search/strategy.cc", "backwards"},
};

TEST(Recipes, AskForEveryFileThatTheWalkForwardsNeeds) {
  const fs::path added = fs::path(HONE_SOURCE_DIR) / "tests/architecture/added";
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(added)) {
    if (!entry.is_regular_file() || entry.path().filename() == "insert_rows.cc") continue;
    ++files;
    const std::string file =
        std::regex_replace(fs::relative(entry.path(), added).generic_string(), std::regex("[.]rows$"), "");
    const auto example = std::find_if(kAdded.begin(), kAdded.end(), [&](const Example& e) { return e.word == file; });
    ASSERT_NE(example, kAdded.end()) << file << " is added by no recipe";
    const std::vector<std::string> paths = PathsOf(*example);
    EXPECT_TRUE(std::any_of(paths.begin(), paths.end(), [&](const auto& path) { return Covers(path, file); }))
        << example->recipe << " does not name " << file;
  }
  EXPECT_EQ(files, kAdded.size());
}

}  // namespace

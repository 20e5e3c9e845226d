// Checks on docker/Dockerfile that need no daemon to build images.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace hone {
namespace {

struct Instruction {
  std::string name;
  std::vector<std::string> words;
};

std::vector<Instruction> InstructionsOf(const std::string& path) {
  std::ifstream in(path);
  std::vector<Instruction> instructions;
  std::string whole;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    whole += line;
    if (whole.back() == '\\') {
      whole.back() = ' ';
      continue;
    }
    std::istringstream words(whole);
    Instruction& next = instructions.emplace_back();
    words >> next.name;
    for (std::string word; words >> word;) next.words.push_back(word);
    whole.clear();
  }
  return instructions;
}

// Each stage begins from an image or an earlier stage, and copies only files that earlier stages make.
TEST(Dockerfile, HasStagesThatFollowFromEachOther) {
  const std::vector<Instruction> instructions = InstructionsOf(HONE_SOURCE_DIR "/docker/Dockerfile");
  ASSERT_GT(instructions.size(), 10U);
  const std::set<std::string> known = {"FROM",   "ARG",        "COPY", "RUN",  "WORKDIR", "ENV",
                                       "VOLUME", "ENTRYPOINT", "CMD",  "USER", "LABEL"};
  std::set<std::string> stages;
  EXPECT_EQ(instructions.front().name, "FROM");
  for (const auto& [name, words] : instructions) {
    EXPECT_TRUE(known.contains(name)) << name;
    ASSERT_FALSE(words.empty()) << name;
    if (name == "FROM") {
      ASSERT_EQ(words.size(), 3U);
      EXPECT_TRUE(words[0].starts_with("debian:12") || words[0] == "scratch" || stages.contains(words[0])) << words[0];
      EXPECT_EQ(words[1], "AS");
      EXPECT_TRUE(stages.insert(words[2]).second) << words[2] << " twice";
    } else if (name == "COPY" && words[0].starts_with("--from=")) {
      EXPECT_TRUE(stages.contains(words[0].substr(7))) << words[0];
    } else if (name == "COPY") {
      EXPECT_TRUE(std::filesystem::exists(std::string(HONE_SOURCE_DIR "/") + words[0])) << words[0];
    }
  }
  EXPECT_THAT(stages, testing::IsSupersetOf({"build", "runtime", "runner", "hone"}));
}

// The images that run packages and kernels install no build tools.
TEST(Dockerfile, PutsNoCompilerIntoRuntimeAndRunner) {
  std::string stage;
  for (const auto& [name, words] : InstructionsOf(HONE_SOURCE_DIR "/docker/Dockerfile")) {
    if (name == "FROM") stage = words[2];
    if (stage != "runtime" && stage != "runner") continue;
    for (const std::string& word : words) {
      EXPECT_THAT(word, testing::Not(testing::ContainsRegex("llvm|/hone_|libhone-dev|hone-compiler"))) << stage;
    }
  }
}

}  // namespace
}  // namespace hone

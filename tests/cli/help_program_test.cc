// The help text of every command, as a person reads it in a terminal.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "core/json/serialize.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr size_t kMostWords = 12, kMostDefaultWords = 6, kMostFirst = 5, kMostColumns = 100;
const std::set<std::string> kGroups = {"Options",
                                       "Model",
                                       "Inputs and shapes",
                                       "Target and threads",
                                       "Precision",
                                       "Passes",
                                       "Search",
                                       "Choice of tokens",
                                       "Timing",
                                       "Records",
                                       "Remote",
                                       "Limits",
                                       "Output"};

std::vector<std::string> WordsOf(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

class Help : public ProgramTest {
 protected:
  Json Tree() {
    const ProgramResult result = Hone({"man", "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return ParseJson(result.out, "the tree");
  }

  // Calls `check` with the command and everything below it.
  template <typename Check>
  void ForEachCommand(const Json& command, const Check& check) {
    check(command);
    for (const Json& sub : command["commands"]) ForEachCommand(sub, check);
  }

  // The help text of a command that is given as the user types it.
  std::string TextOf(const std::string& name) {
    std::vector<std::string> words = WordsOf(name + " --help");
    words.erase(words.begin());
    const ProgramResult result = Hone(words);
    EXPECT_EQ(result.code, 0) << name << ": " << result.err;
    return result.out;
  }

  void ExpectReadable(const std::string& name) {
    const std::string text = TextOf(name);
    EXPECT_THAT(text, HasSubstr("\nExample: ")) << name;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kMostColumns) << name << ": " << line;
  }
};

TEST_F(Help, ListsTheCommandsBySubject) {
  const std::string text = TextOf("hone");
  size_t at = 0;
  for (const char* heading : {"\nModels\n", "\nTuning and records\n", "\nDevices\n", "\nShell\n"}) {
    const size_t found = text.find(heading, at);
    ASSERT_NE(found, std::string::npos) << heading << text;
    at = found;
  }
}

TEST_F(Help, EveryCommandHasAGroupAndAnExample) {
  const Json tree = Tree();
  ForEachCommand(tree, [&](const Json& command) {
    const std::string name = command["name"], group = command["group"], example = command["example"];
    if (name == "hone") return;
    EXPECT_NE(group, "") << name;
    // A shell may pipe the command's output, or read it.
    EXPECT_THAT(example, HasSubstr(name)) << name;
  });
  for (const Json& command : tree["commands"]) EXPECT_NE(command["group"], "Commands") << command["name"];
}

TEST_F(Help, DescribesEveryOptionInAFewWordsWithinAGroup) {
  ForEachCommand(Tree(), [](const Json& command) {
    size_t first = 0;
    for (const Json& option : command["options"]) {
      const std::string what = command["name"].get<std::string>() + " " + option["names"].dump();
      EXPECT_LE(WordsOf(option["description"]).size(), kMostWords) << what;
      EXPECT_FALSE(option["description"].get<std::string>().empty()) << what;
      EXPECT_LE(WordsOf(option["default"]).size(), kMostDefaultWords) << what;
      EXPECT_TRUE(kGroups.contains(option["group"])) << what;
      if (!option["names"].empty() && option["group"] == "Options") ++first;
    }
    EXPECT_LE(first, kMostFirst) << command["name"] << " needs groups for the options that matter less";
  });
}

TEST_F(Help, SaysDefaultsInOneForm) {
  ForEachCommand(Tree(), [](const Json& command) {
    for (const Json& option : command["options"])
      EXPECT_THAT(option["description"].get<std::string>(), Not(AnyOf(HasSubstr("default:"), HasSubstr("by default"))));
  });
  EXPECT_THAT(TextOf("hone tune"), HasSubstr("--math fast|exact"));
  const std::string unbroken = fmt::format("{}", fmt::join(WordsOf(TextOf("hone tune")), " "));
  EXPECT_THAT(unbroken, HasSubstr(" [default: 5m without another limit]"));
  EXPECT_THAT(TextOf("hone bench"), HasSubstr(" [default: 3s]"));
}

TEST_F(Help, FitsATerminalOfAHundredColumns) {
  ForEachCommand(Tree(), [this](const Json& command) { ExpectReadable(command["name"]); });
  for (const char* name : {"hold", "unhold", "drain", "undrain", "upgrade"})
    ExpectReadable(std::string("hone devices ") + name);
  ExpectReadable("hone run model.onnx --node conv1");
}

TEST_F(Help, BeginsWithTheOptionsThatMatterMost) {
  const std::string text = TextOf("hone tune");
  EXPECT_THAT(text.substr(text.find("\nOptions\n")), StartsWith("\nOptions\n  --budget VALUE "));
  EXPECT_LT(text.find("--tracker"), text.find("\nModel\n"));
  EXPECT_LT(text.find("\nRemote\n"), text.find("--priority"));
}

}  // namespace
}  // namespace hone

// The C++ interface for graphs as users have it: <hone/compiler/graph.h> and libhone-graph.so, installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "tests/install/installed_test.h"

namespace hone {
namespace {

using testing::HasSubstr;

class GraphLibrary : public InstalledTest {
 protected:
  std::vector<std::string> Lines(const std::string& line) {
    const ProgramResult r = ShellOfUser(line);
    EXPECT_EQ(r.code, 0) << r.err;
    std::istringstream in(r.out);
    std::vector<std::string> lines;
    for (std::string one; std::getline(in, one);) lines.push_back(one);
    return lines;
  }
};

TEST_F(GraphLibrary, WorksAsItIsWritten) {
  for (const char* component : {"runtime", "development", "graph", "runner", "tools"}) Install(component);
  PlayPage("reference/relay.md");
}

// Each header compiles by itself, and needs only the standard library from outside.
TEST_F(GraphLibrary, TheHeadersNeedTheStandardLibraryAlone) {
  for (const char* component : {"development", "graph"}) Install(component);
  int headers = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(Prefix() + "/include/hone")) {
    if (entry.path().extension() != ".h") continue;
    ++headers;
    Write("work/alone.cc", "#include \"" + entry.path().string() + "\"\n");
    for (const std::string& used :
         Lines("g++ -std=c++20 -Wall -Wextra -Werror -M alone.cc $(pkg-config --cflags hone-graph) | "
               "tr ' ' '\\n' | grep '^/' | grep -v '" +
               Prefix() + "'")) {
      EXPECT_THAT(used, testing::Not(testing::ContainsRegex("nlohmann|llvm|lld|onnx|google|fmt|sodium")))
          << entry.path();
    }
  }
  EXPECT_GE(headers, 20);
}

TEST_F(GraphLibrary, ShowsHonesNamesAlone) {
  int names = 0;
  for (const std::string& name :
       Lines("nm --dynamic --defined-only --demangle --format=posix '" HONE_GRAPH_LIBRARY "' | grep -v 'HONE_'")) {
    ++names;
    EXPECT_THAT(name, HasSubstr("hone::"));
    EXPECT_THAT(name, testing::Not(testing::StartsWith("llvm::")));
  }
  EXPECT_GE(names, 200);
  EXPECT_THAT(Lines("readelf -d '" HONE_GRAPH_LIBRARY "' | grep SONAME"),
              testing::ElementsAre(HasSubstr("[libhone-graph.so." HONE_VERSION "]")));
}

// Errors in a graph are exceptions of hone's, which programs can catch by their type.
TEST_F(GraphLibrary, ErrorsAreCaughtOutside) {
  for (const char* component : {"development", "graph"}) Install(component);
  Write("work/wrong.cc", R"(#include <hone/compiler/graph.h>
#include <iostream>
int main() {
  using namespace hone::relay;
  const ExprPtr x = MakeVar("x", TensorType({1, 3, 8, 8})), w = MakeVar("w", TensorType({2, 4, 3, 3}));
  for (const char* op : {"nn.conv2", "nn.conv2d"}) {
    try {
      InferType(MakeFunction(MakeCall(op, {x, w})));
    } catch (const hone::Error& error) {
      std::cout << static_cast<int>(error.code()) << ' ' << error.what() << '\n';
    }
  }
}
)");
  const ProgramResult r =
      ShellOfUser("g++ -std=c++20 wrong.cc $(pkg-config --cflags --libs hone-graph) -o wrong && ./wrong");
  EXPECT_EQ(r.out,
            "70 there is no operator nn.conv2; did you mean nn.conv2d?\n"
            "65 node nn.conv2d (call 1): data has 3 channels, weight takes 4\n")
      << r.err;
}

}  // namespace
}  // namespace hone

// docs/howto/embedding.md, typed as it stands against an installed tree, and the library's dependencies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <sstream>

#include "tests/install/installed_test.h"

namespace hone {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::StartsWith;

class Embedding : public InstalledTest {
 protected:
  std::vector<std::string> Lines(const std::string& line) {
    const ProgramResult r = Shell(line);
    EXPECT_EQ(r.code, 0) << r.err;
    std::istringstream in(r.out);
    std::vector<std::string> lines;
    for (std::string one; std::getline(in, one);) lines.push_back(one);
    return lines;
  }
};

TEST_F(Embedding, WorksAsItIsWritten) {
  for (const char* component : {"runtime", "development", "runner", "tools"}) Install(component);
  PlayPage("howto/embedding.md");
}

TEST_F(Embedding, TheTutorialsFirstModelIsTunedBuiltAndTimed) {
  for (const char* component : {"runner", "tools"}) Install(component);
  PlayPage("tutorial/first_model.md");
}

// The commands of docs/howto/installing.md after the installation.
TEST_F(Embedding, IsInstalledAsItIsWritten) {
  for (const char* component : {"runner", "tools"}) Install(component);
  PlayPage("howto/installing.md");
}

TEST_F(Embedding, TheSharedLibraryNeedsLibcAlone) {
  for (const std::string& needed : Lines("readelf -d '" HONE_LIBRARY "' | sed -n 's/.*NEEDED.*\\[\\(.*\\)\\]/\\1/p'")) {
    EXPECT_THAT(needed, testing::AnyOf(StartsWith("libc.so."), StartsWith("libm.so."), StartsWith("libpthread.so."),
                                       StartsWith("ld-linux")));
  }
  EXPECT_THAT(Lines("readelf -d '" HONE_LIBRARY "' | grep SONAME"), testing::ElementsAre(HasSubstr("[libhone.so.0]")));
}

TEST_F(Embedding, TheSharedLibraryIsSmall) {
  ASSERT_EQ(Shell("strip -o stripped '" HONE_LIBRARY "'").code, 0);
  EXPECT_LE(std::filesystem::file_size(Path("work/stripped")), 460U * 1024);
}

// An uncaught exception in the library ends the program with one line, without libstdc++'s demangler.
TEST_F(Embedding, AnUncaughtExceptionIsReportedInOneLine) {
  Write("work/throws.cc", "#include <stdexcept>\nint main() { throw std::runtime_error(\"too few\"); }\n");
  const ProgramResult r = Shell("g++ -std=c++20 -static-libstdc++ '" HONE_SOURCE_DIR
                                "/runtime/quiet_terminate.cc' throws.cc -o throws && ./throws");
  EXPECT_EQ(r.code, 128 + SIGABRT);
  EXPECT_THAT(r.err, StartsWith("libhone: uncaught exception: too few\n"));
  EXPECT_EQ(Shell("nm '" HONE_LIBRARY "' | grep -c -e demangle -e d_print").out, "0\n");
}

TEST_F(Embedding, TheArchiveExportsTheCApiAlone) {
  const auto names =
      Lines("nm --defined-only --extern-only --format=just-symbols '" HONE_ARCHIVE "' | grep -v -e : -e '^$'");
  EXPECT_GE(names.size(), 20U);
  EXPECT_THAT(names, Each(StartsWith("hone_")));
  EXPECT_THAT(Lines("nm --undefined-only '" HONE_ARCHIVE "' | awk 'NF {print $NF}'"),
              Each(testing::Not(StartsWith("_Z"))));
}

// The archive's own copies of standard library functions do not clash with a C++ program's.
TEST_F(Embedding, TheArchiveLivesBesideAnotherStandardLibrary) {
  for (const char* component : {"runtime", "development"}) Install(component);
  Write("work/thrower.cc", R"(#include <hone/hone.h>
#include <iostream>
#include <regex>
#include <stdexcept>
int main() {
  hone_package* package = nullptr;
  std::cout << hone_package_load("/no/such/package", &package) << ' ' << hone_error_text() << '\n';
  try {
    std::regex("(");
  } catch (const std::exception& mine) {
    std::cout << "caught\n";
  }
}
)");
  for (const char* way : {"", "-static -Wl,--eh-frame-hdr", "-flto", "-O0 -D_GLIBCXX_DEBUG"}) {
    SCOPED_TRACE(way);
    const ProgramResult r =
        ShellOfUser(std::string("g++ ") + way +
                    " $(pkg-config --cflags hone) thrower.cc /usr/lib/libhone.a -o thrower && ./thrower");
    EXPECT_EQ(r.out, "66 /no/such/package: No such file or directory\ncaught\n") << r.err;
  }
}

TEST_F(Embedding, TheHeaderIsC99AndCxx11) {
  for (const char* component : {"runtime", "development"}) Install(component);
  Write("work/header.c",
        "#include <hone/hone.h>\n#include <hone/hone.h>\nint main(void) { return hone_api_version() == 0; }\n");
  const std::string flags =
      " -Wall -Wextra -Wpedantic -Werror header.c -o header $(pkg-config --cflags --libs hone) && ./header";
  for (const char* compiler : {"gcc -std=c99", "gcc -std=c17", "g++ -std=c++11 -x c++", "g++ -std=c++20 -x c++"}) {
    const ProgramResult r = ShellOfUser(compiler + flags);
    EXPECT_EQ(r.code, 0) << compiler << '\n' << r.err;
  }
}

}  // namespace
}  // namespace hone

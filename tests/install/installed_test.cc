#include "tests/install/installed_test.h"

#include <gmock/gmock.h>

#include <regex>

#include "tests/support/page_session.h"

namespace hone {

void InstalledTest::Install(const std::string& component) {
  const ProgramResult r =
      Shell("'" HONE_CMAKE "' --install '" HONE_BUILD_DIR "' --prefix '" + Prefix() + "' --component " + component);
  ASSERT_EQ(r.code, 0) << r.err;
}

ProgramResult InstalledTest::ShellOfUser(const std::string& line) {
  environment["PATH"] = Prefix() + "/bin:/usr/local/bin:/usr/bin:/bin";
  environment["CMAKE_PREFIX_PATH"] = Prefix();
  environment["PKG_CONFIG_PATH"] = Prefix() + "/lib/pkgconfig";
  environment["LD_LIBRARY_PATH"] = Prefix() + "/lib";
  const std::regex ours("/usr/(lib/libhone|share/doc/libhone|share/man/man1/hone)");
  return Shell("unset -f hone; " + std::regex_replace(line, ours, Prefix() + "/$1"));
}

void InstalledTest::PlayPage(const std::string& page) {
  const std::vector<ShownCommand> session = ShownIn(HONE_SOURCE_DIR "/docs/" + page);
  ASSERT_GE(session.size(), 5U) << page << " shows no session";
  for (const ShownCommand& shown : session) {
    SCOPED_TRACE(shown.line);
    const ProgramResult r = ShellOfUser("exec 2>&1; " + shown.line);
    ASSERT_EQ(r.code, 0) << r.out;
    ASSERT_EQ(FirstNotSaid(shown, r.out), "") << "is on the page, and was not said:\n" << r.out;
  }
}

}  // namespace hone

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
  ExpectSaysWhatItShows(HONE_SOURCE_DIR "/docs/" + page, 5,
                        [this](const std::string& line) { return ShellOfUser(line); });
}

}  // namespace hone

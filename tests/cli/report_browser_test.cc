// The report in a headless Chromium: it renders, nothing complains, no request leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kConsole = "CONSOLE";
constexpr const char* kRequestOfAPage = "\"initiator\":\"null\"";

class ReportInBrowser : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (Shell("chromium --version").code != 0) GTEST_SKIP() << "chromium is not installed (Debian package chromium)";
  }
  struct Shown {
    std::string dom, console, network;
  };
  // What Chromium makes of a file of the folder work; its own requests to its maker have no origin in its log.
  Shown Show(const std::string& file) const {
    const ProgramResult run = Shell(
        "chromium --headless --no-sandbox --disable-gpu --disable-background-networking --no-first-run "
        "--user-data-dir=profile --log-net-log=net.json --enable-logging=stderr --dump-dom \"file://$PWD/" +
        file + "\"");
    EXPECT_EQ(run.code, 0) << run.err;
    return {run.out, run.err, Read("work/net.json")};
  }
  void ExpectQuietPage(const std::string& file) const {
    const Shown shown = Show(file);
    EXPECT_THAT(shown.dom, HasSubstr("<svg"));
    EXPECT_THAT(shown.dom, HasSubstr("</html>"));
    EXPECT_THAT(shown.console, Not(HasSubstr(kConsole)));
    EXPECT_THAT(shown.network, Not(HasSubstr(kRequestOfAPage)));
    EXPECT_FALSE(shown.network.empty());
  }
};

TEST_F(ReportInBrowser, RendersWithoutAComplaintOrARequest) {
  ASSERT_EQ(Shell("hone tune zoo:mlp --image-shape 1,14,14 --threads 1 --trials 3 --finals kernels --db s.db && "
                  "hone report zoo:mlp --image-shape 1,14,14 --db s.db -o report.html")
                .code,
            0);
  ExpectQuietPage("report.html");
}

TEST_F(ReportInBrowser, RendersAHistoryLikewise) {
  ASSERT_EQ(Shell("hone build zoo:mlp --image-shape 1,14,14 --no-records --threads 1 -o P.hone && "
                  "hone bench P.hone --runs 20 --write json=one.json && hone bench P.hone --runs 20 --write "
                  "json=two.json && hone compare --results one.json two.json --since 1h --html history.html")
                .code,
            0);
  ExpectQuietPage("history.html");
}

// What the test above would see of a page that does otherwise.
TEST_F(ReportInBrowser, WouldShowAScriptAndARequest) {
  Write("work/bad.html",
        "<!doctype html><html><body><img "
        "src=\"http://127.0.0.1:9/x.png\"><script>console.log('x')</script></body></html>");
  const Shown shown = Show("bad.html");
  EXPECT_THAT(shown.console, HasSubstr(kConsole));
  EXPECT_THAT(shown.network, HasSubstr(kRequestOfAPage));
}

}  // namespace
}  // namespace hone

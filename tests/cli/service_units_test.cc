// The units of scripts/systemd, as far as they can be tested without a running systemd.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;

const std::string kUnits = HONE_SOURCE_DIR "/scripts/systemd/";

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The last value of each setting.
std::map<std::string, std::string> SettingsOf(const std::string& unit) {
  std::istringstream lines(TextOf(kUnits + unit));
  std::map<std::string, std::string> settings;
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find('=');
    if (!line.starts_with('#') && equals != std::string::npos) {
      settings[line.substr(0, equals)] = line.substr(equals + 1);
    }
  }
  return settings;
}

class ServiceUnits : public ProgramTest, public testing::WithParamInterface<const char*> {};

// A service writes into its user's home. So the home must be its state folder, and fleet.md must make it so.
TEST_P(ServiceUnits, RunAsUsersWhoseHomeMayBeWritten) {
  const std::string name = GetParam();
  const auto settings = SettingsOf(name + ".service");
  EXPECT_EQ(settings.at("User"), name);
  EXPECT_EQ(settings.at("StateDirectory"), name);
  EXPECT_EQ(settings.at("StateDirectoryMode"), "0700");
  EXPECT_EQ(settings.at("ProtectSystem"), "strict");
  EXPECT_FALSE(settings.contains("DynamicUser")) << "whose folders nobody else can work on";
  EXPECT_FALSE(settings.contains("ReadWritePaths"));
  const std::string fleet = TextOf(HONE_SOURCE_DIR "/docs/howto/fleet.md");
  EXPECT_THAT(fleet, HasSubstr("--home-dir /var/lib/" + name + " --shell /usr/sbin/nologin " + name));
  EXPECT_THAT(fleet, HasSubstr("sudo -u " + name + " -H "));
}

TEST_P(ServiceUnits, AreWhatSystemdReads) {
  if (Shell("systemd-analyze --version").code != 0) GTEST_SKIP() << "there is no systemd-analyze";
  // Neither the programs nor the users need to exist here.
  const std::string unit = std::string(GetParam()) + ".service";
  ASSERT_EQ(Shell("sed 's#^ExecStart=/usr/bin/[a-z-]*#ExecStart=/bin/true#' '" + kUnits + unit + "' > " + unit).code,
            0);
  const ProgramResult verified = Shell("systemd-analyze verify --man=no ./" + unit);
  EXPECT_THAT(verified.err, testing::Not(HasSubstr(unit))) << "each complaint names the file";
}

INSTANTIATE_TEST_SUITE_P(Units, ServiceUnits, testing::Values("hone-tracker", "hone-runner"), [](const auto& unit) {
  return std::string(unit.param) == "hone-tracker" ? "Tracker" : "Runner";
});

}  // namespace
}  // namespace hone

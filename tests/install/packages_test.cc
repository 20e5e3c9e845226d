// The Debian packages, unpacked in a root with nothing else, run the README's session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <regex>
#include <thread>

#include "tests/install/installed_test.h"
#include "tests/support/page_session.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;

class Packages : public InstalledTest {
 protected:
  void SetUp() override {
    InstalledTest::SetUp();
    if (Shell("dpkg-deb --version && dpkg-shlibdeps --version").code != 0) GTEST_SKIP() << "there is no dpkg-dev";
    if (!fs::exists(Deb("debs", "hone"))) Pack("debs");
  }
  static void TearDownTestSuite() { fs::remove_all(Folder("")); }

  // Packing takes long, so the folder lasts for the whole process.
  static std::string Folder(const std::string& name) {
    return fs::temp_directory_path() / ("hone_packages_" + std::to_string(getpid())) / name;
  }
  // Makes the packages in a folder of this name, with less compression than released ones.
  void Pack(const std::string& name) {
    fs::create_directories(Folder(name));
    const ProgramResult r =
        Shell("cd '" + Folder(name) +
              "' && '" HONE_CPACK "' --config '" HONE_BUILD_DIR
              "/CPackConfig.cmake' -B . -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip && rm -r _CPack_Packages");
    ASSERT_EQ(r.code, 0) << r.out << r.err;
  }
  static std::string Deb(const std::string& folder, const std::string& package) {
    return Folder(folder) + "/" + package + "_" HONE_VERSION "_" + Architecture(package) + ".deb";
  }
  static std::string Architecture(const std::string& package) {
    const bool compiled = !package.starts_with("python3-") || (HONE_HAS_EXTENSION && package == "python3-hone-runtime");
    return compiled ? "amd64" : "all";
  }
  std::string Field(const std::string& package, const std::string& field) {
    return Shell("dpkg-deb --field '" + Deb("debs", package) + "' " + field).out;
  }
  std::string Contents(const std::string& package) {
    return Shell("dpkg-deb --contents '" + Deb("debs", package) + "'").out;
  }

  // Runs the line in the clean root with a /proc of its own; as another user if the test runs as root.
  ProgramResult InRoot(const std::string& line) {
    const std::string user = geteuid() == 0 ? "" : "--user --map-current-user ";
    return Shell("env -i PATH=/usr/bin HOME=/home unshare " + user + "--mount --pid --fork --root='" + Path("root") +
                 "' --mount-proc --wd=/home " + line);
  }
};

const std::vector<std::string> kAll = {"libhone-runtime0", "libhone-dev", "libhone-graph-dev",
                                       "hone-runner",      "hone",        "python3-hone-runtime",
                                       "python3-hone"};

TEST_F(Packages, AreTheSameTwice) {
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // file times have a resolution of seconds
  Pack("again");
  for (const std::string& package : kAll) {
    EXPECT_EQ(Shell("cmp '" + Deb("debs", package) + "' '" + Deb("again", package) + "'").code, 0) << package;
  }
}

TEST_F(Packages, SayWhatTheyNeedAndHoldWhatTheySay) {
  EXPECT_THAT(Field("libhone-runtime0", "Depends"), testing::MatchesRegex("libc6 \\(>= [0-9.]+\\)\n"));
  EXPECT_EQ(Field("libhone-dev", "Depends"), "libhone-runtime0 (= " HONE_VERSION ")\n");
  EXPECT_THAT(Field("libhone-graph-dev", "Depends"), HasSubstr("libhone-dev (= " HONE_VERSION ")"));
  EXPECT_THAT(Field("libhone-graph-dev", "Depends"), HasSubstr("libllvm19"));
  EXPECT_THAT(Field("hone", "Depends"), HasSubstr("hone-runner (= " HONE_VERSION ")"));
  EXPECT_THAT(Field("hone", "Depends"), HasSubstr("libllvm19"));
  EXPECT_THAT(Field("hone-runner", "Depends"), Not(testing::ContainsRegex("llvm|sqlite|protobuf|onnx")));
  for (const char* package : {"hone", "hone-runner"}) {
    const ProgramResult script =
        Shell("dpkg-deb --ctrl-tarfile '" + Deb("debs", package) +
              "' | tar --extract --to-stdout ./postinst > postinst && sh -n postinst && cat postinst");
    EXPECT_EQ(script.code, 0) << script.err;
    const std::string user = std::string(package) == "hone" ? "hone-tracker" : "hone-runner";
    EXPECT_THAT(script.out, HasSubstr("systemd-sysusers " + user + ".conf"));
  }
  for (const std::string& package : kAll) {
    EXPECT_THAT(Contents(package), HasSubstr("./usr/share/doc/" + package + "/copyright\n"));
    EXPECT_THAT(Contents(package), Not(HasSubstr(HONE_BUILD_DIR))) << "a folder of the build";
  }
  for (const std::string package : {"libhone-runtime0", "libhone-dev", "hone-runner", "hone"}) {
    EXPECT_THAT(Contents(package), HasSubstr("./usr/share/doc/" + package + "/" + package + ".cdx.json\n"));
  }
  EXPECT_THAT(Contents("libhone-runtime0"), HasSubstr("./usr/lib/libhone.so.0 -> libhone.so." HONE_VERSION));
  for (const char* file : {"./usr/include/hone/hone.h\n", "./usr/lib/libhone.a\n", "./usr/lib/libhone.so -> ",
                           "./usr/lib/pkgconfig/hone.pc\n", "./usr/lib/cmake/hone/honeConfig.cmake\n"}) {
    EXPECT_THAT(Contents("libhone-dev"), HasSubstr(file));
  }
  for (const char* file : {"./usr/include/hone/compiler/graph.h\n", "./usr/lib/libhone-graph.so -> ",
                           "./usr/lib/pkgconfig/hone-graph.pc\n", "./usr/lib/cmake/hone/honeGraphTargets.cmake\n"}) {
    EXPECT_THAT(Contents("libhone-graph-dev"), HasSubstr(file));
  }
  for (const char* file : {"./usr/bin/hone-runner\n", "./usr/lib/systemd/system/hone-runner.service\n",
                           "./usr/lib/sysusers.d/hone-runner.conf\n", "./usr/share/man/man1/hone-runner.1.gz\n"}) {
    EXPECT_THAT(Contents("hone-runner"), HasSubstr(file));
  }
  for (const char* file :
       {"./usr/bin/hone\n", "./usr/bin/hone-compiler\n", "./usr/lib/systemd/system/hone-tracker.service\n",
        "./usr/share/man/man1/hone.1.gz\n", "./usr/share/bash-completion/completions/hone\n",
        "./usr/share/zsh/vendor-completions/_hone\n", "./usr/share/fish/vendor_completions.d/hone.fish\n",
        "./usr/share/hone/hub.honepack\n", "./usr/share/hone/adapters/onnxruntime_adapter.py\n",
        "./usr/share/hone/slurm/runners.sbatch\n", "./usr/share/hone/kubernetes/chart/Chart.yaml\n",
        "./usr/share/doc/hone/docs/howto/installing.md\n"}) {
    EXPECT_THAT(Contents("hone"), HasSubstr(file));
  }
}

// The files that a wheel contains are links to the other packages' files here.
TEST_F(Packages, OfPythonAreSourcesAndAnExtension) {
  const std::string python = HONE_HAS_EXTENSION ? "python3" : "python3:any",
                    libc = HONE_HAS_EXTENSION ? ", libc6 .*" : "";
  EXPECT_THAT(Field("python3-hone-runtime", "Depends"),
              testing::MatchesRegex(python + " \\(>= 3.9\\), python3-numpy, libhone-runtime0 \\(= " HONE_VERSION "\\)" +
                                    libc + "\n"));
  EXPECT_EQ(Contents("python3-hone-runtime").find("hone_runtime/_call.abi3.so\n") != std::string::npos,
            HONE_HAS_EXTENSION != 0);
  EXPECT_EQ(Field("python3-hone", "Depends"),
            "python3:any (>= 3.9), python3-hone-runtime (= " HONE_VERSION "), hone (= " HONE_VERSION ")\n");
  const std::string folder = "./usr/lib/python3/dist-packages/";
  for (const std::string& file :
       {folder + "hone_runtime/__init__.py\n", folder + "hone_runtime/lib/libhone.so -> ../../../../libhone.so.0\n",
        folder + "hone_runtime-" HONE_VERSION ".dist-info/METADATA\n"}) {
    EXPECT_THAT(Contents("python3-hone-runtime"), HasSubstr(file));
  }
  for (const std::string& file :
       {folder + "hone/__init__.py\n", folder + "hone/bin/hone -> ../../../../../bin/hone\n"}) {
    EXPECT_THAT(Contents("python3-hone"), HasSubstr(file));
  }
  for (const char* package : {"python3-hone-runtime", "python3-hone"}) {
    EXPECT_EQ(Field(package, "Architecture"), Architecture(package) + "\n");
    EXPECT_THAT(Contents(package), Not(HasSubstr("__pycache__")));
    const std::string control = "dpkg-deb --ctrl-tarfile '" + Deb("debs", package) + "' | tar --extract --to-stdout ./";
    EXPECT_THAT(Shell(control + "postinst").out, HasSubstr(std::string("py3compile -p ") + package));
    EXPECT_THAT(Shell(control + "prerm").out, HasSubstr(std::string("py3clean -p ") + package));
  }
}

TEST_F(Packages, HaveNoErrorsForLintian) {
  if (Shell("lintian --version").code != 0) GTEST_SKIP() << "there is no lintian";
  std::string debs;
  for (const std::string& package : kAll) debs += " '" + Deb("debs", package) + "'";
  const ProgramResult r = Shell("lintian --allow-root --fail-on error" + debs);
  EXPECT_EQ(r.code, 0) << r.out << r.err;
}

TEST_F(Packages, DoInACleanRootWhatTheReadmeShows) {
  if (Shell("unshare --mount --pid --fork true").code != 0 &&
      Shell("unshare --user --map-current-user --mount --pid --fork true").code != 0) {
    GTEST_SKIP() << "this machine lets nobody make namespaces";
  }
  std::string debs;
  for (const char* package : {"hone", "hone-runner"}) debs += " '" + Deb("debs", package) + "'";
  const ProgramResult made = Shell("'" HONE_SOURCE_DIR "/scripts/clean_root.sh' '" + Path("root") + "'" + debs);
  ASSERT_EQ(made.code, 0) << made.err;
  // The image of the README's session, with zeros.
  std::string npy = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 224, 224), }";
  npy.resize(117, ' ');
  Write("root/home/image.npy",
        std::string("\x93NUMPY\x01\x00\x76\x00", 10) + npy + "\n" + std::string(4 * 3 * 224 * 224, '\0'));

  int typed = 0;
  for (const ShownCommand& shown : ShownIn(HONE_SOURCE_DIR "/README.md")) {
    if (shown.line.find("squeezenet") == std::string::npos) continue;
    SCOPED_TRACE(shown.line);
    const std::string line = std::regex_replace(shown.line, std::regex("--budget 10m"), "--budget 5s");
    const ProgramResult r = InRoot(line);
    ASSERT_EQ(r.code, 0) << r.out << r.err;
    const bool verifies = line.starts_with("hone verify"), tunes = line.starts_with("hone tune");
    EXPECT_THAT(r.out, HasSubstr(verifies ? "the outputs agree" : tunes ? "gain" : ""));
    ++typed;
  }
  EXPECT_EQ(typed, 6) << "the README shows no session with squeezenet";
  EXPECT_THAT(InRoot("hone doctor").out, HasSubstr("executor"));
}

}  // namespace
}  // namespace hone

// The program with bad streams, devices, pipes and full disks.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>

#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class ProgramFiles : public ProgramTest {
 protected:
  // A device of the test's own, so that replacing it does no harm. Returns false where that is not permitted.
  bool MakeDevice(const std::string& name, unsigned minor) const {
    const std::string path = Path("work/" + name);
    if (mknod(path.c_str(), S_IFCHR | 0666, makedev(1, minor)) != 0) return false;
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd >= 0) close(fd);
    return fd >= 0;
  }
  bool MakeFull() const { return MakeDevice("full", 7); }
  bool IsDevice(const std::string& name) const {
    struct stat info{};
    return stat(Path("work/" + name).c_str(), &info) == 0 && S_ISCHR(info.st_mode);
  }
  void Expect(const std::string& command, int code, const std::string& message) const {
    const ProgramResult r = Shell(command);
    EXPECT_EQ(r.code, code) << command << "\n" << r.err;
    EXPECT_THAT(r.err, HasSubstr(message)) << command;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
};

constexpr const char* kModel = "\"$HONE\" zoo mlp --image-shape 1,14,14 ";
constexpr const char* kBuild = "\"$HONE\" build zoo:mlp --image-shape 1,14,14 --no-records -o P.hone";

TEST_F(ProgramFiles, AClosedStderrStopsNothing) {
  const ProgramResult r = Shell("\"$HONE\" ops nn.relu 2>&-");
  EXPECT_EQ(r.code, 0);
  EXPECT_THAT(r.out, HasSubstr("nn.relu"));
  EXPECT_EQ(Shell("\"$HONE\" opps 2>&-").code, 2);
}

// The first file that a command opens gets the lowest free descriptor.
TEST_F(ProgramFiles, AClosedStderrIsNotTheFileThatIsWritten) {
  EXPECT_EQ(Shell(std::string(kModel) + "-o m.onnx 2>&- >&-").code, 74) << "the report had no place";
  const ProgramResult r = Shell("\"$HONE\" inspect m.onnx");
  EXPECT_EQ(r.code, 0) << r.err;
}

TEST_F(ProgramFiles, AFullOrClosedStdoutIsAnErrorOfOutput) {
  Expect("\"$HONE\" ops >&-", 74, "output could not be written");
  Expect("\"$HONE\" ops --json >&-", 74, "output could not be written");
  Expect("\"$HONE\" ops >/dev/full", 74, "No space left");
  Expect("\"$HONE\" ops --json >/dev/full", 74, "No space left");
  EXPECT_EQ(Shell("\"$HONE\" ops 2>/dev/full").code, 0) << "notes that nobody can read are no reason to fail";
}

TEST_F(ProgramFiles, ADeviceIsWrittenIntoAndNotReplaced) {
  if (!MakeFull() || !MakeDevice("null", 3)) GTEST_SKIP() << "no device can be made here";
  EXPECT_EQ(Shell(std::string(kModel) + "-o null").code, 0);
  EXPECT_TRUE(IsDevice("null"));
  Expect(std::string(kModel) + "-o full", 74, "No space left");
  EXPECT_TRUE(IsDevice("full"));
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(ProgramFiles, APipeIsWrittenInto) {
  const ProgramResult r =
      Shell("mkfifo p && (timeout 200 cat p >copy & " + std::string(kModel) + "-o p; wait) && " + kModel + "-o m.onnx");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(Read("work/copy"), Read("work/m.onnx"));
}

TEST_F(ProgramFiles, TheCommandsOwnOutputIsRefused) {
  Expect(std::string(kModel) + "-o /proc/self/fd/1 | cat >copy; test ! -s copy && exit 73", 73, "own output");
}

TEST_F(ProgramFiles, ALinkStaysAndWhatItPointsAtIsWritten) {
  const ProgramResult r = Shell("mkdir to; echo old >to/old; ln -s to/old a; ln -s to/new b; " + std::string(kModel) +
                                "-o a && " + kModel + "-o b && test -L a && test -L b && cmp to/old to/new");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(Files(), testing::Contains("work/to/new"));
}

TEST_F(ProgramFiles, AnotherUsersLinkInASharedFolderIsNotFollowed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root makes another user's link";
  ASSERT_EQ(Shell("mkdir shared; chmod 1777 shared; echo x >mine; ln -s ../mine shared/o; ln -s ../own shared/p; "
                  "chown -h nobody shared/o")
                .code,
            0);
  Expect(std::string(kModel) + "-o shared/o", 73, "it is another user's link");
  EXPECT_EQ(Read("work/mine"), "x\n");
  EXPECT_EQ(Shell(std::string(kModel) + "-o shared/p && test -s own").code, 0);
}

TEST_F(ProgramFiles, AFolderIsNoFile) { Expect(std::string(kModel) + "-o .", 73, "it is a folder"); }

// ulimit -f stands for a full disk; it counts in blocks of 512 bytes.
TEST_F(ProgramFiles, WhatDoesNotFitLeavesNothingBehind) {
  Expect("(ulimit -f 100; " + std::string(kModel) + "-o m.onnx)", 74, "cannot write m.onnx");
  EXPECT_THAT(Files(), IsEmpty());
  ASSERT_EQ(Shell("\"$HONE\" build zoo:mlp --image-shape 1,14,14 --no-records -o p.hone").code, 0);
  Expect("(ulimit -f 200; \"$HONE\" package unpack p.hone -o new/parts)", 74, "cannot write new/parts/");
  EXPECT_NE(Shell("test -e new").code, 0);
  ASSERT_EQ(Shell("mkdir old; echo mine >old/lib.so").code, 0);
  Expect("(ulimit -f 200; \"$HONE\" package unpack p.hone -o old)", 74, "cannot write old/");
  EXPECT_THAT(Files(), ElementsAre("work/old/lib.so", "work/p.hone"));
  EXPECT_EQ(Read("work/old/lib.so"), "mine\n");
}

// Opening a pipe without a writer would block.
TEST_F(ProgramFiles, ATemporaryFolderThatIsMissingIsNamed) {
  ASSERT_EQ(Shell(std::string(kModel) + "-o m.onnx").code, 0);
  const std::string bench = " \"$HONE\" bench m.onnx --no-records --runs 1";
  const ProgramResult missing = Shell("TMPDIR=/nonexistent" + bench);
  EXPECT_EQ(missing.code, 73) << missing.err;
  EXPECT_THAT(missing.err, HasSubstr("there is no folder /nonexistent; "));
  const ProgramResult closed = Shell("TMPDIR=/proc" + bench);
  EXPECT_EQ(closed.code, 73) << closed.err;
  EXPECT_THAT(closed.err, Not(HasSubstr("mkdir")));
  EXPECT_EQ(Shell("TMPDIR=" + bench).code, 0);
}

TEST_F(ProgramFiles, APipeIsNeitherAPackageNorAnotherFileThatIsReadWhole) {
  ASSERT_EQ(Shell("mkfifo p x.npy x.pb q.minisig; touch q; " + std::string(kBuild)).code, 0);
  const auto refuse = [&](const std::string& arguments, const std::string& path) {
    Expect("timeout 200 \"$HONE\" " + arguments, 66, path + " is not a regular file");
  };
  for (const char* command : {"run p", "bench p", "profile p", "package info p", "package unpack p -o parts",
                              "bench P.hone --baseline p", "compare --results p", "log hub --hub p", "log diff p p",
                              "log verify p", "log pack --name n --reproduce p -o q"}) {
    refuse(command, "p");
  }
  refuse("run P.hone --input data=x.npy", "x.npy");
  refuse("run P.hone --input data=x.pb", "x.pb");
  refuse("verify zoo:mlp --image-shape 1,14,14 --expect x.pb", "x.pb");
  refuse("log pull q", "q.minisig");
  Expect("timeout 200 \"$HONE\" inspect p", 66, "not a file");
}

TEST_F(ProgramFiles, ALogCanComeThroughAPipe) {
  const std::string log = "echo '{\"format\":\"hone-log\",\"version\":1}'";
  for (const std::string& line : {log + " | timeout 200 \"$HONE\" log import /dev/stdin --db r.db",
                                  "mkfifo p; (" + log + " >p &) ; timeout 200 \"$HONE\" log import p --db r.db"}) {
    const ProgramResult r = Shell(line);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_THAT(r.out, HasSubstr("0 new, 0 known, 0 refused"));
  }
  Expect("timeout 200 \"$HONE\" log import p --db r.db", 66, "p is a pipe without a writer");
  Expect("timeout 200 \"$HONE\" log import /dev/zero --db r.db", 66, "neither a regular file nor a pipe");
}

// The test needs a program and a folder that all users may read.
TEST_F(ProgramFiles, WhatMayNotBeLookedAtIsNotAbsent) {
  ASSERT_EQ(Shell(std::string(kModel) + "-o m.onnx; " + kBuild + "; mkdir closed; cp m.onnx P.hone closed").code, 0);
  ASSERT_EQ(Shell("touch closed/s.db; cp m.onnx no.onnx; chmod 0 no.onnx closed; chmod 755 .. ; chmod 777 .").code, 0);
  const std::string nobody = getuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : "";
  if (Shell(nobody + "\"$HONE\" --version && " + nobody + "cat m.onnx").code != 0) GTEST_SKIP() << "nobody may run it";
  const std::string build = "\"$HONE\" build m.onnx -o new.hone ";
  for (const std::string& command :
       {"HONE_DB=closed/s.db " + nobody + build, nobody + build + "--db closed/s.db", nobody + build + "--hub closed/h",
        nobody + "\"$HONE\" build closed/m.onnx -o new.hone", "ln -sf closed/s.db hone.db; " + nobody + build,
        nobody + "\"$HONE\" quantize m.onnx --calibrate closed/c -o new.onnx", nobody + "\"$HONE\" log import closed/l",
        nobody + "\"$HONE\" log trust closed/k --name n",
        nobody + "\"$HONE\" devices --tracker tcp://127.0.0.1:1 --server-key closed/k"}) {
    Expect(command, 77, "may not be");
  }
  for (const char* command : {"run closed/P.hone", "build no.onnx -o new.hone"})
    Expect(nobody + "\"$HONE\" " + command, 77, "Permission denied");
}

TEST_F(ProgramFiles, APackedFileIsNamedInOneLine) {
  ASSERT_EQ(Shell(std::string(kModel) + "-o m.onnx; " + kBuild + "; echo '{}' >l; gzip -k m.onnx l P.hone").code, 0);
  Expect("\"$HONE\" build m.onnx.gz -o p", 65, "m.onnx.gz is compressed by gzip; `gunzip` unpacks it");
  Expect("\"$HONE\" run P.hone.gz", 65, "P.hone.gz is compressed by gzip");
  Expect("\"$HONE\" log import l.gz --db s.db", 65, "l.gz is compressed by gzip");
  Expect("cat l.gz | \"$HONE\" log import - --db s.db", 65, "stdin is compressed by gzip");
  Expect("\"$HONE\" log import /dev/stdin --db s.db <l.gz", 65, "is compressed by gzip");
  Expect("\"$HONE\" log import m.onnx --db s.db", 65,
         "m.onnx is no text; a log of `hone log export`, AutoTVM or TopHub would be right");
  for (const char* begin : {"(\\265/\\375", "\\3757zXZ\\000", "BZh9", "PK\\003\\004", "<!DOCTYPE html>",
                            "version https://git-lfs.github.com/spec/v1"}) {
    Expect(std::string("printf '") + begin + " more' >f; \"$HONE\" log import f --db s.db", 65, "f is ");
  }
  ASSERT_EQ(Shell("echo '{\"format\":\"hone-log\",\"version\":1}' | \"$HONE\" log import - --db s.db").code, 0);
  Expect("\"$HONE\" log import s.db --db s.db", 65, "s.db is a store");
  Expect("\"$HONE\" log import P.hone --db s.db", 65, "P.hone is a package");
}

TEST_F(ProgramFiles, APathThatIsTooLongIsALineAndTheRightCode) {
  const std::string path = "/tmp/" + std::string(5000, 'a');
  for (const std::string command : {"inspect ", "run ", "log import ", "log list --db ", "package info "}) {
    const ProgramResult r = Shell("\"$HONE\" " + command + path);
    EXPECT_EQ(r.code, 66) << command << r.err;
    EXPECT_LT(r.err.size(), 3000U) << command;
  }
  EXPECT_EQ(Shell(std::string(kModel) + "-o " + path).code, 73);
  EXPECT_EQ(Shell("\"$HONE\" tune zoo:mlp --image-shape 1,14,14 --db " + path).code, 73);
}

TEST_F(ProgramFiles, NamesCannotSpeakToTheTerminal) {
  const std::string evil = "\033]0;title\a\302\233";
  for (const std::string command : {"inspect ", "ops ", "run --input x=y "}) {
    const ProgramResult r = Shell("\"$HONE\" " + command + "'" + evil + "'");
    EXPECT_NE(r.code, 0);
    EXPECT_THAT(r.err, HasSubstr("\\u001b]0;title\\u0007\\u009b")) << command;
    EXPECT_THAT(r.err, Not(HasSubstr("\033")));
    EXPECT_THAT(r.err, Not(HasSubstr("\302\233")));
  }
}

TEST_F(ProgramFiles, NumbersOutOfTheirRangeAreUsage) {
  const std::string zoo(kModel);
  for (const char* seed : {"-1", "100000000000000000000000", "1.5", "x", "0x10"})
    Expect(zoo + "-o m.onnx --seed " + seed, 2, "is not an integer from 0 to 18446744073709551615");
  EXPECT_EQ(Shell(zoo + "-o m.onnx --seed 18446744073709551615").code, 0);
  const std::string runner = "timeout 200 \"${HONE}-runner\" --tracker tcp://127.0.0.1:1 --key k ";
  Expect(runner + "--cores 5-1", 2, "\"5-1\"; right is a list such as 0,2-3");
  Expect(runner + "--lifetime 0s", 2, "'0s' is not a duration");
}

TEST_F(ProgramFiles, SuggestNothingIfNoNameIsNear) {
  const ProgramResult r = Shell(
      "\"$HONE\" targets; \"$HONE\" build zoo:mlp --image-shape 1,14,14 -o p.hone --target "
      "'llvm -mtriple=x86_64-pc-linux-gnu -mcpu=zzzzqqqq'");
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, HasSubstr("not a CPU that LLVM knows"));
  EXPECT_THAT(r.err, Not(HasSubstr("did you mean")));
}

}  // namespace
}  // namespace hone

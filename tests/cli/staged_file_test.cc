// Unfinished files after a signal, after a kill, and with somebody else's link in their place.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <thread>

#include "cli/stop.h"
#include "lab/files/fresh_file.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class StagedFileTest : public testing::Test {
 protected:
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder_.File(""))) files.push_back(entry.path().filename());
    return files;
  }
  std::string path() const { return folder_.File("out"); }

  // The status of a process that calls `during` while the file has its first bytes. That process does not know which
  // folders this one has cleaned.
  int StatusOf(const std::function<void()>& during) const {
    const pid_t child = fork();
    if (child == 0) {
      const rlimit none{0, 0};
      setrlimit(RLIMIT_CORE, &none);
      StagedFile file(path(), [&during](std::ostream& out) {
        out << "half" << std::flush;
        during();
      });
      file.Commit();
      _exit(0);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
  }
  // Makes the files of a killed process look old.
  void Age() const {
    const timespec old[2] = {{1, 0}, {1, 0}};
    for (const std::string& file : Files()) utimensat(AT_FDCWD, folder_.File(file).c_str(), old, 0);
  }

  TempFolder folder_;
};

TEST_F(StagedFileTest, IsThereUnderItsNameOnceItIsCommitted) {
  StagedFile file(path(), "whole");
  EXPECT_THAT(Files(), SizeIs(1));
  EXPECT_FALSE(fs::exists(path()));
  file.Commit();
  EXPECT_THAT(Files(), ElementsAre("out"));
  EXPECT_EQ(ReadBytes(path()), "whole");
}

TEST_F(StagedFileTest, HasTheModeThatTheUmaskLeaves) {
  const mode_t mask = umask(027);
  StagedFile(path(), "whole").Commit();
  umask(mask);
  EXPECT_EQ(fs::status(path()).permissions(), fs::perms(0640));
}

TEST_F(StagedFileTest, IsGoneWhenASignalEndsTheProcess) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    const int status = StatusOf([number] { raise(number); });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number) << number << " ended it as " << status;
    EXPECT_THAT(Files(), IsEmpty()) << number;
  }
}

// A terminal sends a signal to the whole group, and its sender perhaps to the process as well.
TEST_F(StagedFileTest, IsGoneWhenTheSignalComesTwiceAtOnce) {
  for (int i = 0; i < 100; ++i) {
    const int status = StatusOf([] {
      std::thread other([] { raise(SIGTERM); });
      raise(SIGTERM);
      other.join();
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
    EXPECT_THAT(Files(), IsEmpty());
  }
}

TEST_F(StagedFileTest, IsGoneWhenASecondSignalEndsACommandThatEndsInOrder) {
  const int status = StatusOf([] {
    CatchStopSignals();
    raise(SIGINT);
    raise(SIGINT);
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 130) << status;
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(StagedFileTest, ACommandThatEndsInOrderFinishesIt) {
  EXPECT_EQ(StatusOf([] {
              CatchStopSignals();
              raise(SIGINT);
            }),
            0);
  EXPECT_THAT(Files(), ElementsAre("out"));
}

TEST_F(StagedFileTest, OfAKilledProcessIsRemovedByTheNextWriterAlone) {
  StatusOf([] { raise(SIGKILL); });
  ASSERT_THAT(Files(), SizeIs(1));
  const std::string left = Files()[0];
  EXPECT_EQ(StatusOf([] {}), 0);
  EXPECT_THAT(Files(), testing::UnorderedElementsAre("out", left)) << "its process may have just begun";
  WriteBytes(folder_.File("out.part-tial.txt"), "somebody's");
  Age();
  EXPECT_EQ(StatusOf([] {}), 0);
  EXPECT_THAT(Files(), testing::UnorderedElementsAre("out", "out.part-tial.txt"));
}

TEST_F(StagedFileTest, OfALivingProcessStays) {
  // Another spelling of the folder, because a folder that was cleaned is not cleaned again.
  const FreshFile living(folder_.File("./out"));
  Age();
  EXPECT_EQ(StatusOf([] {}), 0);
  EXPECT_THAT(Files(), testing::UnorderedElementsAre("out", fs::path(living.path()).filename().string()));
}

}  // namespace
}  // namespace hone

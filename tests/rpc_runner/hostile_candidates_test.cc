// Candidates that try to escape gain nothing and get the right verdict, in root's runner and in another user's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

#include "core/error.h"
#include "rpc_runner/executor/memory/shared_region.h"
#include "rpc_runner/local_runner.h"
#include "rpc_runner/process/executor_process.h"
#include "tests/rpc_runner/kernel_fixture.h"
#include "tests/support/asked_count.h"
#include "tests/support/child_processes.h"

namespace hone {
namespace {

using testing::HasSubstr;

constexpr const char* kFile = "/tmp/hone_hostile_was_here";  // the file that some try to make
constexpr uid_t kNobody = 65534;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

struct Hostile {
  const char* kernel;
  Fate fate;
  const char* message;  // a part of the message
};

constexpr const char* kCall = "system call";
constexpr Hostile kHostile[] = {
    {"ifunc", Fate::kPolicyViolation, "ifunc"},
    {"open", Fate::kPolicyViolation, kCall},
    {"fill_tmp", Fate::kPolicyViolation, kCall},
    {"socket", Fate::kPolicyViolation, kCall},
    {"fork_bomb", Fate::kPolicyViolation, kCall},
    {"thread", Fate::kPolicyViolation, kCall},
    {"ptrace", Fate::kPolicyViolation, kCall},
    {"read_others", Fate::kPolicyViolation, kCall},
    {"kill_parent", Fate::kPolicyViolation, kCall},
    {"kill_all", Fate::kPolicyViolation, kCall},
    {"stop", Fate::kPolicyViolation, kCall},
    {"take_memory", Fate::kCrashed, "returned 99"},
    {"output", Fate::kPolicyViolation, kCall},
    {"close", Fate::kPolicyViolation, kCall},
    {"protect_input", Fate::kPolicyViolation, kCall},
    {"protect_code", Fate::kPolicyViolation, kCall},
    {"map_code", Fate::kPolicyViolation, kCall},
    {"share_memory", Fate::kPolicyViolation, kCall},
    {"memory_file", Fate::kPolicyViolation, kCall},
    {"exec", Fate::kPolicyViolation, kCall},
    {"ring", Fate::kPolicyViolation, kCall},
    {"prctl", Fate::kPolicyViolation, kCall},
    {"limits", Fate::kPolicyViolation, kCall},
    {"user", Fate::kPolicyViolation, kCall},
    {"namespace", Fate::kPolicyViolation, kCall},
    {"sigaction", Fate::kPolicyViolation, kCall},
    {"timer", Fate::kPolicyViolation, kCall},
    {"clock", Fate::kPolicyViolation, kCall},
    {"unmap", Fate::kCrashed, "SIGSEGV"},
    {"sleep", Fate::kTimedOut, "deadline"},
    {"forge", Fate::kPolicyViolation, ""},
#if defined(__x86_64__)
    {"other_calls", Fate::kPolicyViolation, kCall},
    {"x32", Fate::kPolicyViolation, kCall},
#endif
};

bool Ends(pid_t pid) {
  for (int i = 0; i < 1000 && IsRunning(pid); ++i) usleep(10'000);
  return !IsRunning(pid);
}

KernelJob HostileJob(const std::string& kernel) {
  KernelJob job = DenseJob("hostile_" + kernel);
  job.timing.memory_bytes = int64_t{128} << 20;
  if (kernel == "sleep") job.timing.deadline_ns = 200'000'000;
  return job;
}

void ExpectFate(LocalRunner& runner, const Hostile& hostile) {
  SCOPED_TRACE(hostile.kernel);
  const Measurement measurement = RunJob(runner, HostileJob(hostile.kernel));
  EXPECT_EQ(FateName(measurement.fate), FateName(hostile.fate)) << measurement.message;
  EXPECT_THAT(measurement.message, HasSubstr(hostile.message));
  EXPECT_TRUE(measurement.samples_ns.empty());
  EXPECT_NE(access(kFile, F_OK), 0) << "it wrote a file";
  unlink(kFile);
}

void ExpectNoEscapes() {
  unlink(kFile);
  LocalRunner runner({});
  const std::string isolation = runner.Describe().isolation;
  std::printf("isolation for user %d: %s\n", static_cast<int>(getuid()), isolation.c_str());
  for (const char* word : {"landlock", "mount", "pid", "net", "ipc", "user"}) {
    if (("," + isolation + ",").find("," + std::string(word) + ",") == std::string::npos) {
      std::printf("not given here, so not tested: %s\n", word);
    }
  }
  ASSERT_THAT(isolation, HasSubstr("rlimit"));
  ASSERT_THAT(isolation, HasSubstr("seccomp"));
  const pid_t executor = runner.executor_pid();
  if (isolation.find(",mount") != std::string::npos) {
    // This holds before a candidate begins: the process that is forked for it sees no files either.
    const std::string root = "/proc/" + std::to_string(executor) + "/root";
    EXPECT_TRUE(std::filesystem::is_directory(root));
    EXPECT_TRUE(std::filesystem::is_empty(root)) << "the machine's files are there";
  }
  EXPECT_EQ(FateName(RunJob(runner, DenseJob()).fate), "Ok");
  const std::vector<pid_t> children = ChildrenOf(executor);
  for (int i = AskedCount(1); i > 0; --i) {
    for (const Hostile& hostile : kHostile) ExpectFate(runner, hostile);
  }
  // Later candidates are measured as usual by the same executor, and nothing is left behind.
  const Measurement after = RunJob(runner, DenseJob());
  EXPECT_EQ(FateName(after.fate), "Ok") << after.message;
  EXPECT_EQ(runner.executor_pid(), executor);
  EXPECT_EQ(ChildrenOf(executor), children);
}

// Runs the test's body as another user.
void AsNobody(void (*body)()) {
  const pid_t child = fork();
  if (child == 0) {
    if (setresgid(kNobody, kNobody, kNobody) != 0 || setresuid(kNobody, kNobody, kNobody) != 0) _exit(2);
    body();
    std::fflush(nullptr);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "as nobody: status " << status;
}

TEST(HostileCandidates, GainNothing) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's build has no system-call filter";
  ExpectNoEscapes();
}

TEST(HostileCandidates, GainNothingOfAnOrdinaryUsersRunner) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's build has no system-call filter";
  if (getuid() != 0) GTEST_SKIP() << "this is one";
  AsNobody(ExpectNoEscapes);
}

TEST(HostileCandidates, AreCaughtByTheOutputsOfTimedRunsWhenTheyReuseFinishedWork) {
  LocalRunner runner({});
  KernelJob job = DenseJob("hostile_leave_done");
  job.timing.min_sample_ns = 20'000;
  for (const CacheMode mode : {CacheMode::kColdWeights, CacheMode::kWarm}) {
    job.timing.cache = mode;
    const Measurement measurement = RunJob(runner, job);
    EXPECT_EQ(FateName(measurement.fate), "WrongOutput") << measurement.message;
    EXPECT_THAT(measurement.message, HasSubstr("when it was timed"));
    EXPECT_TRUE(measurement.samples_ns.empty());
  }
}

// Clients are indistinguishable here, so one job's inputs stay unchanged for later jobs too.
TEST(HostileCandidates, CannotChangeTheInputsOfLaterOnes) {
  SharedRegion region(5000);
  region.Poison(1);
  region.Seal();
  const auto bytes = static_cast<size_t>(region.file_bytes());
  EXPECT_EQ(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, region.fd(), 0), MAP_FAILED);
  void* map = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, region.fd(), 0);
  ASSERT_NE(map, MAP_FAILED);
  EXPECT_NE(mprotect(map, bytes, PROT_READ | PROT_WRITE), 0);
  munmap(map, bytes);
  EXPECT_LT(pwrite(region.fd(), "x", 1, 0), 0);
  EXPECT_EQ(region.data()[4999], 1);
}

// Jobs may request any deadline.
TEST(RunnersCaps, NoJobOutlastsTheRunnersDeadline) {
  ExecutorOptions options;
  options.max_deadline_ns = 300'000'000;
  LocalRunner runner(options);
  KernelJob job = DenseJob("hostile_sleep");
  job.timing.deadline_ns = 1'000'000'000'000'000'000;
  runner.Submit(job);
  JobResult result;
  ASSERT_TRUE(runner.Wait(30'000'000'000, &result));
  EXPECT_EQ(FateName(result.measurement.fate), "TimedOut");
  EXPECT_THAT(result.measurement.message, HasSubstr("--max-deadline of 0.3 s"));
  // References are the client's code as well.
  KernelJob reference = DenseJob();
  reference.reference = job.artifact;
  reference.reference.operands = DenseJob().reference.operands;
  reference.timing.deadline_ns = job.timing.deadline_ns;
  runner.Submit(reference);
  ASSERT_TRUE(runner.Wait(30'000'000'000, &result));
  EXPECT_EQ(FateName(result.measurement.fate), "Cancelled") << "no candidate is to blame for it";
  EXPECT_THAT(result.measurement.message, HasSubstr("the reference cannot run here"));
}

TEST(RunnersCaps, NoJobTakesMoreThanTheRunnersMemory) {
  ExecutorOptions options;
  options.max_memory_bytes = int64_t{64} << 20;
  LocalRunner runner(options);
  KernelJob job = DenseJob();
  job.timing.memory_bytes = int64_t{1} << 40;
  const Measurement small = RunJob(runner, job);
  EXPECT_EQ(FateName(small.fate), "Ok") << small.message;
  for (KernelOperand* operand : {&job.artifact.operands[0], &job.reference.operands[0]}) operand->shape[0] = 1 << 18;
  for (size_t i : {0, 1}) job.reference.operands[2 + i].shape[0] = 1 << 18;
  job.artifact.operands[2].shape[0] = 1 << 18;
  const Measurement large = RunJob(runner, job);
  EXPECT_EQ(FateName(large.fate), "OutOfMemory") << large.message;
  EXPECT_THAT(large.message, HasSubstr("--max-memory"));
}

TEST(RequiredIsolation, IsRefusedWhereItIsMissing) {
  ExecutorOptions options;
  options.required_isolation = "rlimit,moat";
  try {
    LocalRunner runner(options);
    FAIL() << "it began";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadConfig);
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("\"rlimit,moat\" is required"), HasSubstr("\"moat\" is missing"),
                                             HasSubstr("gives \"fork,rlimit")));
  }
  options.required_isolation = "rlimit,guard";
  EXPECT_NO_THROW(LocalRunner{options});
}

// The first executor provides the required isolation, and its successor does not.
TEST(RequiredIsolation, IsAskedOfEveryExecutor) {
  if (getuid() != 0) GTEST_SKIP() << "only root has a right to lose";
  if (access("/usr/bin/setpriv", X_OK) != 0) GTEST_SKIP() << "no setpriv";
  const std::string folder = testing::TempDir() + "hone_executors_" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  const std::string program = folder + "/start", flag = folder + "/again";
  std::ofstream(program) << "#!/bin/sh\n[ -e " << flag << " ] && exec /usr/bin/setpriv --bounding-set -sys_admin "
                         << FindRunnerProgram() << " \"$@\"\n: > " << flag << "\nexec " << FindRunnerProgram()
                         << " \"$@\"\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  ExecutorOptions options;
  options.program = program;
  options.required_isolation = "fork,pid";
  if (LocalRunner(ExecutorOptions()).Describe().isolation.find(",pid") == std::string::npos) {
    GTEST_SKIP() << "no namespaces here";
  }
  LocalRunner runner(options);
  EXPECT_EQ(FateName(RunJob(runner, DenseJob()).fate), "Ok");
  kill(runner.executor_pid(), SIGKILL);
  for (int i = 0; i < 2; ++i) {
    const Measurement refused = RunJob(runner, DenseJob());
    EXPECT_EQ(FateName(refused.fate), "RunnerLost");
    EXPECT_THAT(refused.message, HasSubstr("\"pid\" is missing"));
  }
  std::filesystem::remove(flag);
  EXPECT_EQ(FateName(RunJob(runner, DenseJob()).fate), "Ok") << "one that gives it again";
  std::filesystem::remove_all(folder);
}

TEST(Executors, LeaveNoProcessBehind) {
  for (const bool killed : {false, true}) {
    std::vector<pid_t> children;
    {
      LocalRunner runner({});
      children = ChildrenOf(runner.executor_pid());
      if (killed) kill(runner.executor_pid(), SIGKILL);
    }
    for (const pid_t child : children) EXPECT_TRUE(Ends(child)) << child << (killed ? " of a killed one" : "");
  }
}

// Root's candidates run as a user who owns nothing.
TEST(Privileges, AnExecutorStartedByRootRunsAsNobody) {
  if (getuid() != 0) GTEST_SKIP() << "not root";
  const auto line_of = [](pid_t pid, const std::string& key) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with(key)) return line.substr(key.size());
    }
    return std::string();
  };
  LocalRunner runner({});
  EXPECT_EQ(line_of(runner.executor_pid(), "Uid:"), "\t65534\t65534\t65534\t65534");
  EXPECT_EQ(line_of(runner.executor_pid(), "CapEff:"), "\t0000000000000000");
  EXPECT_EQ(line_of(runner.executor_pid(), "CapPrm:"), "\t0000000000000000");
  ExecutorOptions root;
  root.user = "root";
  EXPECT_THROW(LocalRunner{root}, Error);
}

// Candidates must not see keys, tokens and paths in the environment of the user who started the runner.
TEST(Privileges, TheExecutorDoesNotSeeTheEnvironment) {
  setenv("HONE_TEST_TOKEN", "secret", 1);
  const LocalRunner runner({});
  unsetenv("HONE_TEST_TOKEN");
  std::ifstream file("/proc/" + std::to_string(runner.executor_pid()) + "/environ");
  std::vector<std::string> names;
  for (std::string variable; std::getline(file, variable, '\0');)
    names.push_back(variable.substr(0, variable.find('=')));
  if (getuid() == 0) {
    EXPECT_THAT(names, testing::Contains("PATH")) << "it can be read";
  }
  EXPECT_THAT(names, testing::Not(testing::Contains("HONE_TEST_TOKEN")));
  EXPECT_THAT(names, testing::Not(testing::Contains("HOME")));
}

// A container may leave its root without the right to change its user.
TEST(Privileges, RootThatCannotLeaveRunsNothing) {
  if (getuid() != 0) GTEST_SKIP() << "not root";
  const pid_t child = fork();
  if (child == 0) {
    if (prctl(PR_CAPBSET_DROP, CAP_SETUID, 0, 0, 0) != 0) _exit(2);
    try {
      LocalRunner{{}};
    } catch (const Error& error) {
      _exit(error.code() == ExitCode::kNoRunner ? 0 : 3);
    }
    _exit(4);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "4: it ran all the same";
}

}  // namespace
}  // namespace hone

#include "tests/cli/run_program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace hone {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void Redirect(const std::string& path, int fd) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, fd) < 0) _exit(127);
}

// Runs in the child before exec, so it prepares only what exec needs.
[[noreturn]] void Exec(const std::string& program, const std::vector<std::string>& arguments,
                       const std::map<std::string, std::string>& environment, const fs::path& folder,
                       const fs::path& output) {
  Redirect(output.string() + ".out", STDOUT_FILENO);
  Redirect(output.string() + ".err", STDERR_FILENO);
  for (const char* name : {"HONE_DB", "HONE_TRACKER", "HONE_KEY", "HONE_THREADS", "HONE_IDENTITY", "HONE_SERVER_KEY",
                           "HONE_KEYS", "HONE_PYTHON"}) {
    unsetenv(name);
  }
  setenv("HONE_HUB", "none", 1);
  setenv("XDG_DATA_HOME", folder.c_str(), 1);
  setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
  setenv("XDG_STATE_HOME", folder.c_str(), 1);
  setenv("HONE", HONE_PROGRAM, 1);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  _exit(127);
}

}  // namespace

void ProgramTest::SetUp() {
  std::string name = (fs::temp_directory_path() / "hone_program_XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  folder_ = name;
  fs::create_directory(folder_ / "work");
}

void ProgramTest::TearDown() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

ProgramResult ProgramTest::Hone(const std::vector<std::string>& arguments) const {
  return Run(HONE_PROGRAM, arguments);
}

ProgramResult ProgramTest::Shell(const std::string& line) const {
  return Run("/bin/sh", {"-c", "cd '" + Path("work") + "'; hone() { '" HONE_PROGRAM "' \"$@\"; }; " + line});
}

std::string ProgramTest::Do(const std::string& line) const {
  const ProgramResult r = Shell("hone " + line);
  EXPECT_EQ(r.code, 0) << line << "\n" << r.err;
  return r.out;
}

std::string ProgramTest::NextOf(const ProgramResult& result, int number) {
  const std::string mark = "next: ";
  size_t at = result.err.find(mark);
  for (int i = 0; i < number && at != std::string::npos; ++i) at = result.err.find(mark, at + 1);
  if (at == std::string::npos) return "";
  return result.err.substr(at + mark.size(), result.err.find('\n', at) - at - mark.size());
}

ProgramResult ProgramTest::Run(const std::string& program, const std::vector<std::string>& arguments) const {
  // The output lies beside the folder, because tests look at the files that the program leaves in it.
  const fs::path output = folder_.string() + "_output";
  const pid_t child = fork();
  if (child == 0) Exec(program, arguments, environment, folder_, output);
  ProgramResult result;
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return result;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = ReadAll(output.string() + ".out");
  result.err = ReadAll(output.string() + ".err");
  fs::remove(output.string() + ".out");
  fs::remove(output.string() + ".err");
  return result;
}

void ProgramTest::Write(const std::string& name, const std::string& bytes) const {
  std::ofstream(folder_ / name, std::ios::binary) << bytes;
}

std::string ProgramTest::Read(const std::string& name) const { return ReadAll(folder_ / name); }

std::vector<std::string> ProgramTest::Files() const {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), folder_).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace hone

#include "tests/end_to_end/child_program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace hone {
namespace {

// The test's environment, except that keys and state lie beside the output instead of in the user's folders.
std::vector<std::string> Environment(const std::string& output) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto sets = [&](const char* name) { return text.rfind(std::string(name) + "=", 0) == 0; };
    if (sets("XDG_CONFIG_HOME") || sets("XDG_STATE_HOME") || sets("HONE_KEYS") || sets("HONE_IDENTITY")) continue;
    all.push_back(text);
  }
  const std::string folder = output.substr(0, output.rfind('/'));
  for (const char* name : {"XDG_CONFIG_HOME", "XDG_STATE_HOME"}) all.push_back(std::string(name) + "=" + folder);
  return all;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

ChildProgram::ChildProgram(const std::string& program, std::vector<std::string> arguments, std::string output)
    : output_(std::move(output)) {
  arguments.insert(arguments.begin(), program);
  std::vector<std::string> environment = Environment(output_);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, (output_ + ".out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&files, 2, (output_ + ".err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int error =
      posix_spawn(&pid_, program.c_str(), &files, nullptr, Pointers(arguments).data(), Pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::runtime_error(program + " cannot be started");
}

ChildProgram::~ChildProgram() {
  if (Ended()) return;
  Signal(SIGKILL);
  Wait();
}

void ChildProgram::Signal(int signal_number) const { kill(pid_, signal_number); }

bool ChildProgram::Ended() {
  if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return ended_;
}

int ChildProgram::Wait() {
  if (!ended_) ended_ = waitpid(pid_, &status_, 0) == pid_;
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
}

bool ChildProgram::WaitForLines(const std::string& text, int lines) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < until) {
    const bool ended = Ended();
    const std::vector<std::string> all = Lines();
    const auto has = [&text](const std::string& line) { return line.find(text) != std::string::npos; };
    if (std::count_if(all.begin(), all.end(), has) >= lines) return true;
    if (ended) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

std::vector<std::string> ChildProgram::Lines() const {
  const std::string text = TextOf(output_ + ".out");
  std::vector<std::string> lines;
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string ChildProgram::ErrorText() const { return TextOf(output_ + ".err"); }

std::string TextOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace hone

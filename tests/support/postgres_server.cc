#include "tests/support/postgres_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "db/postgresql/server_link.h"
#include "tests/support/child_processes.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience(60);

// The user as whom PostgreSQL runs where the test is root; null (the current user) elsewhere.
const passwd* OtherUser() {
  if (geteuid() != 0) return nullptr;
  const passwd* user = getpwnam("postgres");
  return user != nullptr ? user : getpwnam("nobody");
}

[[noreturn]] void Become(const std::string& program, const std::vector<std::string>& arguments,
                         const std::string& log) {
  if (const passwd* user = OtherUser()) {
    if (setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0) _exit(126);
  }
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  _exit(127);
}

pid_t Launch(const std::string& program, const std::vector<std::string>& arguments, const std::string& log) {
  const pid_t child = fork();
  if (child == 0) Become(program, arguments, log);
  return child;
}

}  // namespace

std::string PostgresServer::ProgramFolder() {
  std::error_code ignored;
  std::string newest;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    const std::string folder = (version.path() / "bin").string();
    if (fs::exists(folder + "/initdb") && fs::exists(folder + "/postgres") && folder > newest) newest = folder;
  }
  return newest;
}

PostgresServer::PostgresServer(Sync sync, const std::string& parent) : sync_(sync) {
  const std::string memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  folder_ = (parent.empty() ? memory : parent) + "/hone-pg-XXXXXX";
  if (mkdtemp(folder_.data()) == nullptr) throw Error(ExitCode::kCannotCreate, "no temporary folder can be made");
  if (const passwd* user = OtherUser()) {
    if (chown(folder_.c_str(), user->pw_uid, user->pw_gid) != 0) throw Error(ExitCode::kIo, "chown failed");
  }
  const pid_t made =
      Launch(ProgramFolder() + "/initdb",
             {"-D", folder_ + "/data", "-U", "hone", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"},
             folder_ + "/log");
  int status = 0;
  waitpid(made, &status, 0);
  if (status != 0) throw Error(ExitCode::kIo, fmt::format("initdb failed; see {}/log", folder_));
  Start();
}

PostgresServer::~PostgresServer() {
  Kill();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void PostgresServer::Kill() {
  if (process_ < 0) return;
  // The server's children, which serve the connections, leave only when they notice that it is gone; until then they go
  // on serving.
  const std::vector<pid_t> children = ChildrenOf(process_);
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
  for (const pid_t child : children) kill(child, SIGKILL);
  while (std::any_of(children.begin(), children.end(), IsRunning)) usleep(1000);
}

void PostgresServer::Spawn() {
  process_ =
      Launch(ProgramFolder() + "/postgres",
             {"-D", folder_ + "/data", "-k", folder_, "-c", "listen_addresses=", "-c",
              sync_ == Sync::kOn ? "fsync=on" : "fsync=off", "-c", "shared_buffers=64MB", "-c", "max_wal_size=1GB",
              // A killed server leaves nothing in /dev/shm.
              "-c", "dynamic_shared_memory_type=mmap"},
             folder_ + "/log");
}

void PostgresServer::Start() {
  Spawn();
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    try {
      ServerLink probe(Address(""));
      return;
    } catch (const Error& error) {
      if (std::chrono::steady_clock::now() > end) {
        throw Error(ExitCode::kIo, fmt::format("PostgreSQL does not come up: {}; see {}/log", error.what(), folder_));
      }
      // Right after a kill, the remaining processes may still hold the shared memory.
      if (waitpid(process_, nullptr, WNOHANG) == process_) Spawn();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::string PostgresServer::Address(const std::string& database, const std::string& user) const {
  return fmt::format("postgresql://{}@/{}?host={}", user, database.empty() ? "postgres" : database, folder_);
}

std::string PostgresServer::NewDatabase() {
  const std::string name = fmt::format("store{}", ++databases_);
  Execute(Address(""), "CREATE DATABASE " + name);
  return Address(name);
}

void PostgresServer::Execute(const std::string& address, const std::string& sql) { ServerLink(address).Execute(sql); }

}  // namespace hone

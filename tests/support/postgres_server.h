// A PostgreSQL server of the test's own, from the system's package.
#pragma once

#include <sys/types.h>

#include <string>

namespace hone {

// Listens only on a Unix socket in its own folder, and dies with its owner. It runs as another user where the test is
// root, because PostgreSQL refuses to run as root.
class PostgresServer {
 public:
  // Whether each commit waits for the disk. Off by default: tests kill processes, not the power.
  enum class Sync : bool { kOff, kOn };

  // The folder of initdb and postgres; empty where the package is not installed.
  static std::string ProgramFolder();

  // `parent` is the folder in which its own is made; if empty, in memory where possible. Throws Error(kIo) when the
  // server does not answer within 60 s.
  explicit PostgresServer(Sync sync = Sync::kOff, const std::string& parent = "");
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // Simulates a crash: SIGKILL to the server and all its processes.
  void Kill();
  // Starts the server again after Kill. Returns when it answers.
  void Start();
  // The address of a database; `user` may differ from its owner. "" is the database that always exists.
  std::string Address(const std::string& database, const std::string& user = "hone") const;
  // Makes an empty database; returns its address.
  std::string NewDatabase();
  // Executes one statement in a database as its owner.
  static void Execute(const std::string& address, const std::string& sql);

 private:
  void Spawn();

  Sync sync_;
  std::string folder_;
  pid_t process_ = -1;
  int databases_ = 0;
};

}  // namespace hone

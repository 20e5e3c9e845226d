// A PostgreSQL server of the test's own, from the system's package.
#pragma once

#include <sys/types.h>

#include <string>

namespace hone {

// Answers on a Unix socket in its own folder alone, and dies with its owner. Started as another user where the test is
// root, as PostgreSQL refuses to run as root.
class PostgresServer {
 public:
  // Whether it waits for the disk at each commit: tests kill processes, not the power.
  enum class Sync : bool { kOff, kOn };

  // Where initdb and postgres are; empty where the package is not installed.
  static std::string ProgramFolder();

  // `parent` is where its folder is made; empty: in memory where there is such a place. Throws Error(kIo) when it does
  // not come up within 60 s.
  explicit PostgresServer(Sync sync = Sync::kOff, const std::string& parent = "");
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // As a crash does: SIGKILL to the server and all its processes.
  void Kill();
  // After Kill. Returns when it answers.
  void Start();
  // Of a database; another user than its owner may be named. "" is the database that is always there.
  std::string Address(const std::string& database, const std::string& user = "hone") const;
  // Makes an empty database; returns its address.
  std::string NewDatabase();
  // One statement in a database, as its owner.
  static void Execute(const std::string& address, const std::string& sql);

 private:
  void Spawn();

  Sync sync_;
  std::string folder_;
  pid_t process_ = -1;
  int databases_ = 0;
};

}  // namespace hone

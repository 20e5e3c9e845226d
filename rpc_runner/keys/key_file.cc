#include "rpc_runner/keys/key_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"
#include "rpc_runner/keys/curve_key.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

constexpr off_t kMostKeyFileBytes = 1 << 20;

// Closes what it holds.
struct File {
  int fd;
  ~File() {
    if (fd >= 0) close(fd);
  }
};

[[noreturn]] void RefuseKeyFile(const std::string& path, const std::string& what, const std::string& why) {
  throw Error(ExitCode::kBadConfig, fmt::format("{} {} {}", what, path, why));
}

[[noreturn]] void ThrowCannotWrite(const std::string& path) {
  throw Error(ExitCode::kCannotCreate, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

void Check(int fd, const std::string& path, Secrecy secrecy, const std::string& what) {
  struct stat status{};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) RefuseKeyFile(path, what, "is not a regular file");
  if (status.st_uid != geteuid() && status.st_uid != 0) RefuseKeyFile(path, what, "belongs to another user");
  const mode_t against = secrecy == Secrecy::kSecret ? 0077 : 0022;
  if ((status.st_mode & against) != 0) {
    RefuseKeyFile(
        path, what,
        fmt::format("has mode {:04o}, so that others may {} it; chmod {} is right", status.st_mode & 07777,
                    secrecy == Secrecy::kSecret ? "read" : "change", secrecy == Secrecy::kSecret ? "600" : "go-w"));
  }
  if (status.st_size > kMostKeyFileBytes) RefuseKeyFile(path, what, "is longer than 1 MiB");
}

// The only line that is not a comment; empty if there is none or more than one.
std::string OnlyLine(std::string_view text) {
  std::string only;
  for (const std::string_view line : Split(text, '\n')) {
    if (line.empty() || line == "#" || line.starts_with("# ")) continue;
    if (!only.empty()) return "";
    only = line;
  }
  return only;
}

}  // namespace

bool KeyFileIsThere(const std::string& path) {
  if (access(path.c_str(), F_OK) == 0) return true;
  if (errno != EACCES) return false;
  throw Error(ExitCode::kNotAuthorised,
              fmt::format("{} may not be looked at: a folder on its way may not be entered", path));
}

std::string ReadKeyFile(const std::string& path, Secrecy secrecy, const std::string& what) {
  // O_NONBLOCK keeps open from waiting on a pipe without a writer.
  const File file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0 && errno == EACCES)
    throw Error(ExitCode::kNotAuthorised, fmt::format("{} {} may not be read", what, path));
  if (file.fd < 0) RefuseKeyFile(path, what, fmt::format("cannot be read: {}", std::strerror(errno)));
  Check(file.fd, path, secrecy, what);
  std::string bytes;
  char part[4096];
  for (;;) {
    const ssize_t n = read(file.fd, part, sizeof(part));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) RefuseKeyFile(path, what, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (n == 0) return bytes;
    bytes.append(part, static_cast<size_t>(n));
    if (bytes.size() > static_cast<size_t>(kMostKeyFileBytes)) RefuseKeyFile(path, what, "is longer than 1 MiB");
  }
}

void WriteKeyFile(const std::string& path, const std::string& bytes, Secrecy secrecy) {
  std::string temporary = path + ".XXXXXX";
  {
    const File file{mkostemp(temporary.data(), O_CLOEXEC)};
    if (file.fd < 0) ThrowCannotWrite(path);
    const mode_t mode = secrecy == Secrecy::kSecret ? 0600 : 0644;
    if (fchmod(file.fd, mode) == 0 && WriteAll(file.fd, bytes) && fsync(file.fd) == 0 &&
        std::rename(temporary.c_str(), path.c_str()) == 0) {
      return;
    }
  }
  const int why = errno;
  unlink(temporary.c_str());
  errno = why;
  ThrowCannotWrite(path);
}

void MakeKeyFolder(const std::string& path) {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) ThrowCannotWrite(path);
}

KeyFileLock::KeyFileLock(const std::string& path) : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  if (fd_ < 0) ThrowCannotWrite(path);
  while (flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

KeyFileLock::~KeyFileLock() { close(fd_); }

KeyPair ReadIdentity(const std::string& path) {
  if (!KeyFileIsThere(path)) {
    throw Error(ExitCode::kBadConfig,
                fmt::format("there is no secret key {}; hone key new makes one, for a tracker with --server", path));
  }
  const std::string secret = OnlyLine(ReadKeyFile(path, Secrecy::kSecret, "the secret key"));
  if (!IsKey(secret)) {
    throw Error(ExitCode::kBadConfig,
                fmt::format("the secret key {} is damaged: one line of 40 characters is right", path));
  }
  return {PublicKeyOf(secret), secret};
}

void WriteIdentity(const std::string& path, const KeyPair& keys, const std::string& comment) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) MakeKeyFolder(folder.string());
  for (const std::string& file : {path, path + ".pub"}) {
    if (!KeyFileIsThere(file)) continue;
    throw Error(ExitCode::kCannotCreate, fmt::format("{} is there already; remove it first to have a new key", file));
  }
  WriteKeyFile(path, fmt::format("# a secret key of hone: nobody else may read it\n{}\n", keys.secret_key),
               Secrecy::kSecret);
  WriteKeyFile(path + ".pub", fmt::format("{} {}\n", keys.public_key, comment), Secrecy::kProtected);
}

KeyPair ReadOrMakeIdentity(const std::string& path, const std::string& comment) {
  if (!KeyFileIsThere(path)) WriteIdentity(path, NewKeyPair(), comment);
  return ReadIdentity(path);
}

std::string ReadPublicKey(const std::string& text_or_path) {
  if (IsKey(text_or_path)) return text_or_path;
  if (!KeyFileIsThere(text_or_path)) {
    throw Error(ExitCode::kBadConfig, fmt::format("{} is neither a public key nor a file; 40 characters of Z85 or a "
                                                  ".pub file would be right",
                                                  Shortened(text_or_path, 200)));
  }
  const std::string line = OnlyLine(ReadKeyFile(text_or_path, Secrecy::kProtected, "the public key"));
  const std::string key = line.substr(0, line.find(' '));
  if (!IsKey(key)) throw Error(ExitCode::kBadConfig, fmt::format("{} holds no public key", text_or_path));
  return key;
}

}  // namespace hone

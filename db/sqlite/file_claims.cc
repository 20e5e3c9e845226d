#include "db/sqlite/file_claims.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace hone {
namespace {

struct flock LockOf(std::string_view what, short type) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = ClaimNumber(what);
  lock.l_len = 1;
  return lock;
}

// As SQLite does with its files, gives the claims file the store's write permissions and, if run by root, its owner.
void ShareAs(const std::string& store, int fd) {
  struct stat info{};
  if (stat(store.c_str(), &info) != 0) return;
  (void)fchmod(fd, info.st_mode & 0666);
  // If that is not permitted, the file stays this user's.
  if (fchown(fd, geteuid() == 0 ? info.st_uid : -1, info.st_gid) != 0) return;
}

}  // namespace

FileClaims::~FileClaims() {
  if (fd_ >= 0) close(fd_);
}

void FileClaims::Open() {
  if (opened_) return;
  opened_ = true;
  fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd_ >= 0) {
    ShareAs(store_, fd_);
  } else if (errno == EEXIST) {
    fd_ = open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  }
}

bool FileClaims::Take(std::string_view what) {
  Open();
  struct flock lock = LockOf(what, F_WRLCK);
  return fd_ < 0 || fcntl(fd_, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

void FileClaims::Release(std::string_view what) {
  struct flock lock = LockOf(what, F_UNLCK);
  if (fd_ >= 0) (void)fcntl(fd_, F_OFD_SETLK, &lock);
}

}  // namespace hone

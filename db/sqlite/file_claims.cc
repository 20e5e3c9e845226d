#include "db/sqlite/file_claims.h"

#include <fcntl.h>
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

}  // namespace

FileClaims::~FileClaims() {
  if (fd_ >= 0) close(fd_);
}

void FileClaims::Open() {
  if (opened_) return;
  opened_ = true;
  fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
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

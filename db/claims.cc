#include "db/claims.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "core/hash.h"

namespace hone {
namespace {

// One byte of the file's 2^60; two texts that share it only mean that one of them is left to the other process.
struct flock LockOf(std::string_view what, short type) {
  const std::string digits = Sha256Hex(what).substr(0, 15);
  int64_t place = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), place, 16);
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = place;
  lock.l_len = 1;
  return lock;
}

}  // namespace

Claims::~Claims() {
  if (fd_ >= 0) close(fd_);
}

void Claims::Open() {
  if (opened_) return;
  opened_ = true;
  fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
}

bool Claims::Take(std::string_view what) {
  Open();
  struct flock lock = LockOf(what, F_WRLCK);
  return fd_ < 0 || fcntl(fd_, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

void Claims::Release(std::string_view what) {
  struct flock lock = LockOf(what, F_UNLCK);
  if (fd_ >= 0) (void)fcntl(fd_, F_OFD_SETLK, &lock);
}

}  // namespace hone

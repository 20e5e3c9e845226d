#include "rpc_runner/executor/memory/shared_region.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>

#include "core/error.h"

namespace hone {

namespace {

constexpr int kSealFutureWrite = 0x0010;  // newer than some C libraries
constexpr char kCanary = static_cast<char>(0xC5);
constexpr int64_t kGuardBytes = 64 << 10;

[[noreturn]] void Refused() {
  throw Error(ExitCode::kIo, fmt::format("the runner has no memory for the job: {}", std::strerror(errno)));
}

// The offset of data of this size in whole pages: as near to the end as 64-byte alignment allows.
int64_t RightAlignedOffset(int64_t size_bytes) { return (WholePages(size_bytes) - size_bytes) / 64 * 64; }

void MapInto(uintptr_t address, int64_t bytes, int protection, int flags, int fd) {
  void* place = reinterpret_cast<void*>(address);
  if (mmap(place, static_cast<size_t>(bytes), protection, flags | MAP_FIXED, fd, 0) == MAP_FAILED)
    throw std::bad_alloc();
}

}  // namespace

int64_t WholePages(int64_t size_bytes) {
  // A 32-bit address space cannot hold such a size.
  if (size_bytes > std::numeric_limits<ptrdiff_t>::max() / 2) throw std::bad_alloc();
  static const int64_t kPage = sysconf(_SC_PAGESIZE);
  return std::max<int64_t>(1, (size_bytes + kPage - 1) / kPage) * kPage;
}

SharedRegion::SharedRegion(int64_t size_bytes)
    : size_bytes_(size_bytes), file_bytes_(WholePages(size_bytes)), data_offset_(RightAlignedOffset(size_bytes)) {
  fd_ = memfd_create("hone", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd_ < 0) Refused();
  if (ftruncate(fd_, file_bytes_) != 0) {
    close(fd_);
    Refused();
  }
}

SharedRegion::SharedRegion(int fd, int64_t size_bytes)
    : fd_(fd),
      sealed_(true),
      size_bytes_(size_bytes),
      file_bytes_(WholePages(size_bytes)),
      data_offset_(RightAlignedOffset(size_bytes)) {}

SharedRegion::~SharedRegion() {
  Unmap();
  close(fd_);
}

char* SharedRegion::Mapped() const {
  if (map_ != nullptr) return map_;
  const int protection = sealed_ ? PROT_READ : PROT_READ | PROT_WRITE;
  void* map = mmap(nullptr, static_cast<size_t>(file_bytes_), protection, MAP_SHARED, fd_, 0);
  if (map == MAP_FAILED) Refused();
  map_ = static_cast<char*>(map);
  madvise(map_, static_cast<size_t>(file_bytes_), MADV_DONTFORK);
  return map_;
}

void SharedRegion::Unmap() const {
  if (map_ != nullptr) munmap(map_, static_cast<size_t>(file_bytes_));
  map_ = nullptr;
}

void SharedRegion::Seal() {
  Unmap();
  (void)fcntl(fd_, F_ADD_SEALS, kSealFutureWrite | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  sealed_ = true;
}

void SharedRegion::Poison(uint8_t poison) {
  Mapped();
  std::memset(map_, kCanary, static_cast<size_t>(data_offset_));
  std::memset(data(), poison, static_cast<size_t>(size_bytes_));
  const int64_t end = data_offset_ + size_bytes_;
  std::memset(map_ + end, kCanary, static_cast<size_t>(file_bytes_ - end));
}

bool SharedRegion::CanaryHolds() const {
  Mapped();
  const auto is_canary = [](char byte) { return byte == kCanary; };
  return std::all_of(map_, map_ + data_offset_, is_canary) &&
         std::all_of(map_ + data_offset_ + size_bytes_, map_ + file_bytes_, is_canary);
}

GuardedBuffer::GuardedBuffer(int64_t size_bytes, int64_t map_bytes) {
  const size_t whole = static_cast<size_t>(map_bytes + 2 * kGuardBytes);
  void* reserved = mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) throw std::bad_alloc();
  begin_ = reinterpret_cast<uintptr_t>(reserved);
  end_ = begin_ + whole;
  data_begin_ = begin_ + kGuardBytes + RightAlignedOffset(size_bytes);
  data_end_ = data_begin_ + static_cast<uintptr_t>(size_bytes);
}

GuardedBuffer GuardedBuffer::Private(int64_t size_bytes) {
  GuardedBuffer buffer(size_bytes, WholePages(size_bytes));
  MapInto(buffer.begin_ + kGuardBytes, WholePages(size_bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  return buffer;
}

GuardedBuffer GuardedBuffer::Of(const SharedRegion& region, bool writable) {
  GuardedBuffer buffer(region.size_bytes(), region.file_bytes());
  // Reads fault in 16 pages at a time, which is cheaper than populating each page. Writes fault one by one, so their
  // pages are populated. The check before the timing has touched all pages that the kernel reads.
  const int populate = writable ? MAP_POPULATE : 0;
  MapInto(buffer.begin_ + kGuardBytes, region.file_bytes(), writable ? PROT_READ | PROT_WRITE : PROT_READ,
          MAP_SHARED | populate, region.fd());
  return buffer;
}

}  // namespace hone

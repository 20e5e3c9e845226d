#include "lab/files/fresh_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/files/fresh_name.h"
#include "core/files/temporary_folder.h"
#include "core/text/printable.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarkOfUnfinished = kUnfinishedMark;
constexpr int kMostNameTries = 100;
constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// Paths that a signal handler removes; absolute, because the working folder may have changed by then.
struct Slot {
  enum State : int { kFree, kFilling, kUsed };
  std::atomic<int> state{kFree};
  std::array<char, PATH_MAX> path{};
};
std::array<Slot, 16> fresh_slots;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may touch nothing that locks");

// A process and its group may both get the signal, so that a second one comes while the first is handled. It removes
// the files too, instead of ending the process before that.
void OnEndingSignal(int signal_number) {
  RemoveFreshFiles();
  (void)std::signal(signal_number, SIG_DFL);
  (void)raise(signal_number);
}

// Keeps handlers that the command has set: those of CatchStopSignals let it end in order.
void CatchEndingSignals() {
  for (const int signal_number : kEndingSignals) {
    struct sigaction action = {};
    if (sigaction(signal_number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = OnEndingSignal;
    sigaction(signal_number, &action, nullptr);
  }
}

// The slot's number; -1 if all are taken or the path is too long for one.
int TakeSlot(const std::string& path) {
  std::error_code error;
  const std::string absolute = fs::absolute(path, error).string();
  if (error || absolute.size() >= PATH_MAX) return -1;
  for (size_t i = 0; i < fresh_slots.size(); ++i) {
    int free = Slot::kFree;
    if (!fresh_slots[i].state.compare_exchange_strong(free, Slot::kFilling)) continue;
    std::memcpy(fresh_slots[i].path.data(), absolute.c_str(), absolute.size() + 1);
    fresh_slots[i].state = Slot::kUsed;
    return static_cast<int>(i);
  }
  return -1;
}

void FreeSlot(int slot) {
  if (slot >= 0) fresh_slots[static_cast<size_t>(slot)].state = Slot::kFree;
}

// Whether the file's process is gone, which held a lock on it while it lived. A new file may not have its lock yet, so
// young ones count as in use.
bool IsLeftBehind(const std::string& path) {
  constexpr int kSettledSeconds = 60;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  struct stat info{};
  const bool settled = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
                       std::time(nullptr) - info.st_mtim.tv_sec >= kSettledSeconds;
  const bool left = settled && flock(fd, LOCK_EX | LOCK_NB) == 0;
  close(fd);
  return left;
}

// Whether the name has the form that FreshName makes, perhaps with an ending.
bool IsUnfinished(std::string_view name) {
  const size_t at = name.rfind(kMarkOfUnfinished);
  if (at == name.npos) return false;
  const std::string_view letters = name.substr(at + kMarkOfUnfinished.size());
  const size_t end = std::min(letters.find_first_not_of("0123456789abcdef"), letters.size());
  return end == 8 && (letters.size() == 8 || letters[8] == '.');
}

// The unfinished files of a folder.
std::vector<std::string> UnfinishedIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    if (IsUnfinished(name)) names.push_back(std::move(name));
  }
  return names;
}

void RemoveLeftBehind(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  // Each folder is read only once, because a command may write thousands of files into it.
  static std::mutex mutex;
  static std::map<fs::path, std::vector<std::string>> unfinished;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = unfinished.try_emplace(folder);
  if (is_new) found->second = UnfinishedIn(folder);
  for (const std::string& name : found->second) {
    const std::string at = (folder / name).string();
    if (name.starts_with(path.filename().string() + kUnfinishedMark) && IsLeftBehind(at)) unlink(at.c_str());
  }
}

}  // namespace

void RemoveFreshFiles() {
  for (Slot& slot : fresh_slots) {
    if (slot.state == Slot::kUsed) unlink(slot.path.data());
  }
}

FreshFile::FreshFile(const std::string& path, mode_t mode, const std::string& ending) {
  static const bool caught = (CatchEndingSignals(), true);
  (void)caught;
  RemoveLeftBehind(path);
  for (int i = 0; i < kMostNameTries; ++i) {
    path_ = FreshName(path);
    if (path_.empty()) CannotWrite(path, false);
    path_ += ending;
    // The slot is taken before the file exists, so that no signal comes between.
    slot_ = TakeSlot(path_);
    fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd_ >= 0) break;
    FreeSlot(std::exchange(slot_, -1));
    if (errno != EEXIST) break;
  }
  if (fd_ < 0) CannotWrite(path, false);
  (void)flock(fd_, LOCK_EX | LOCK_NB);
}

FreshFile::FreshFile(FreshFile&& other) noexcept
    : path_(std::exchange(other.path_, "")), fd_(std::exchange(other.fd_, -1)), slot_(std::exchange(other.slot_, -1)) {}

FreshFile::~FreshFile() {
  if (!path_.empty()) unlink(path_.c_str());
  FreeSlot(slot_);
  if (fd_ >= 0) close(fd_);
}

bool FreshFile::Rename(const std::string& to) {
  if (std::rename(path_.c_str(), to.c_str()) != 0) return false;
  path_.clear();
  return true;
}

void CannotWrite(const std::string& path, bool created) {
  std::string why = std::strerror(errno);
  const std::string folder = fs::path(path).parent_path().string();
  // Some folders, such as /proc, answer ENOENT although they are there.
  if (std::error_code error; errno == ENOENT && !created && !fs::exists(folder, error)) {
    why = fmt::format("there is no folder {0}; `mkdir -p {0}` makes it", ShellWord(folder));
  }
  throw Error(created ? ExitCode::kIo : ExitCode::kCannotCreate, fmt::format("cannot write {}: {}", path, why));
}

StagedFile::StagedFile(const std::string& path, const std::string& bytes)
    : StagedFile(
          path, [&bytes](std::ostream& out) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); }) {}

StagedFile::StagedFile(const std::string& path, const StreamWriter& write) : path_(path), file_(path) {
  WriteThrough(
      [&](std::string_view bytes) {
        if (!WriteAll(file_.fd(), bytes)) CannotWrite(path_, true);
      },
      write);
  if (::fsync(file_.fd()) != 0) CannotWrite(path_, true);
}

void StagedFile::Commit() {
  if (!file_.Rename(path_)) CannotWrite(path_, false);
}

TemporaryPackage::TemporaryPackage(const std::string& bytes)
    : file_((TemporaryFolder() / "hone-package").string(), 0600) {
  if (!WriteAll(file_.fd(), bytes)) CannotWrite(file_.path(), true);
  package_ = Package::Inspect(file_.path());
}

}  // namespace hone

#include "rpc_runner/keys/audit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "core/text/printable.h"
#include "rpc_runner/keys/authorized_list.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/process/standard_streams.h"

namespace hone {
namespace {

constexpr int64_t kMostRefusalsPerSecond = 20;
constexpr size_t kMostText = 256;

int Open(const std::string& path) { return open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600); }

std::string TimeText(int64_t ms) {
  std::string text = UtcTimeText(ms / 1000);
  text.pop_back();
  return fmt::format("{}.{:03}Z", text, ms % 1000);
}

}  // namespace

Audit::Audit(const std::string& path) : path_(path) {
  if (path_.empty()) return;
  const int fd = Open(path_);
  if (fd < 0) {
    throw Error(ExitCode::kBadConfig, fmt::format("the audit {} cannot be written: {}", path_, std::strerror(errno)));
  }
  close(fd);
}

int64_t Audit::NowMs() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{1000} * now.tv_sec + now.tv_nsec / 1'000'000;
}

void Audit::Append(const std::string& line) {
  const int fd = Open(path_);
  // Writes with one call, so that lines of several processes do not mix.
  const bool written = fd >= 0 && write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!written && !reported_) {
    WriteToStderr(ErrorLine("hone", fmt::format("the audit {} cannot be written: {}", path_, std::strerror(errno))));
  }
  reported_ = !written;
  if (fd >= 0) close(fd);
}

void Audit::Write(const char* event, Json fields) {
  if (path_.empty()) return;
  Json line = {{"time", TimeText(NowMs())}, {"event", event}};
  for (auto& [name, value] : fields.items()) {
    line[name] = value.is_string() ? Json(Shortened(value.get<std::string>(), kMostText)) : value;
  }
  const std::string text = DumpJson(line) + "\n";
  const std::lock_guard lock(mutex_);
  Append(text);
}

bool Audit::MayWriteRefusal(int64_t now_s) {
  int64_t left_out = 0;
  {
    const std::lock_guard lock(mutex_);
    if (now_s == refusals_s_) return ++refusals_ <= kMostRefusalsPerSecond;
    left_out = refusals_ - kMostRefusalsPerSecond;
    refusals_s_ = now_s;
    refusals_ = 1;
  }
  if (left_out > 0) Write("refused_more", {{"count", left_out}});
  return true;
}

void Audit::Admitted(const std::string& key, const std::string& name, const std::string& roles,
                     const std::string& address) {
  Write("admitted", {{"key", KeyPrefix(key)}, {"name", name}, {"roles", roles}, {"address", address}});
}

void Audit::Refused(const std::string& key, const std::string& address, const std::string& reason,
                    const std::string& detail) {
  {
    const std::lock_guard lock(mutex_);
    ++refused_[reason];
  }
  if (path_.empty() || !MayWriteRefusal(NowMs() / 1000)) return;
  Write("refused", {{"key", KeyPrefix(key)}, {"address", address}, {"why", reason + detail}});
}

std::map<std::string, int64_t> Audit::RefusalCounts() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

void Audit::Dropped(const std::string& key) { Write("dropped", {{"key", KeyPrefix(key)}}); }

void Audit::Enrolled(const std::string& key, const std::string& name, const std::string& roles,
                     const std::string& address) {
  Write("enrolled", {{"key", KeyPrefix(key)}, {"name", name}, {"roles", roles}, {"address", address}});
}

void Audit::Listed(size_t keys, size_t faults) { Write("list", {{"keys", keys}, {"damaged_lines", faults}}); }

void Audit::Lease(const HeldDevice& held) {
  Json fields = {{"lease", held.lease},   {"device", held.device}, {"key", held.key},
                 {"holder", held.holder}, {"label", held.label},   {"from", TimeText(held.from_ms)}};
  if (held.until_ms > 0) fields["until"] = TimeText(held.until_ms);
  Write(held.until_ms > 0 ? "lease_end" : "lease_begin", std::move(fields));
}

void Audit::HookRun(const Hook& hook, const std::string& what) {
  Write("hook", {{"state", hook.state}, {"device", hook.device}, {"key", hook.key}, {"what", what}});
}

}  // namespace hone

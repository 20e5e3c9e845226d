#include "rpc_runner/keys/gatekeeper.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>

#include "core/error.h"
#include "core/text/printable.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/keys/key_file.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/standard_streams.h"
#include "rpc_runner/wire/address.h"

namespace hone {
namespace {

constexpr int64_t kMostUnreadableNs = 2'000'000'000;
// After more refusals than this in a minute, codes from that address are refused.
constexpr int kMostTries = 20;
constexpr size_t kMostAddresses = 10'000;

int64_t NowS() { return time(nullptr); }

std::string ReadListText(const KeyFolder& folder) {
  return ReadKeyFile(folder.list(), Secrecy::kProtected, "the list of keys");
}

// A text that changes when one of the files is written.
std::string StampOf(const KeyFolder& folder) {
  std::string stamp;
  for (const std::string& path : {folder.list(), folder.enrolments()}) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0) status = {};
    stamp += fmt::format("{} {} {}.{} ", status.st_ino, status.st_size, status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
  }
  return stamp;
}

bool IsOver(const AuthorizedKey& key, int64_t now_s) { return key.expires_s != 0 && now_s >= key.expires_s; }

std::string Answer(const char* name, const std::string& text) {
  return DumpJson({{"hone_enrolment", 1}, {name, text}});
}

}  // namespace

Gatekeeper::Gatekeeper(const KeyFolder& folder, Audit& audit)
    : folder_(folder), audit_(audit), own_(ReadIdentity(folder.secret())) {
  list_text_ = ReadListText(folder_);
  const AuthorizedList list = ParseAuthorizedList(list_text_);
  if (!list.faults.empty()) {
    throw Error(ExitCode::kBadConfig,
                fmt::format("{}:{}: {}", folder_.list(), list.faults[0].line, list.faults[0].why));
  }
  enrolments_ = ReadEnrolments(folder_, NowS());
  TakeList(list);
}

void Gatekeeper::TakeList(const AuthorizedList& list) {
  keys_.clear();
  for (const AuthorizedKey& key : list.keys) keys_[key.key] = key;
  expired_ = 0;
  CountExpired(NowS());
  audit_.Listed(list.keys.size(), list.faults.size());
  ++generation_;
}

void Gatekeeper::CountExpired(int64_t now_s) {
  const auto over = static_cast<size_t>(
      std::count_if(keys_.begin(), keys_.end(), [&](const auto& entry) { return IsOver(entry.second, now_s); }));
  if (over != expired_) ++generation_;
  expired_ = over;
}

void Gatekeeper::Refresh() {
  const std::lock_guard lock(mutex_);
  ReadFiles();
  CountExpired(NowS());
}

void Gatekeeper::ReadFiles() {
  read_ns_ = MonotonicNs();
  stamp_ = StampOf(folder_);
  try {
    std::string text = ReadListText(folder_);
    if (unreadable_ns_ != 0 || text != list_text_) {
      list_text_ = std::move(text);
      const AuthorizedList list = ParseAuthorizedList(list_text_);
      for (const AuthorizedList::Fault& fault : list.faults) {
        WriteToStderr(ErrorLine("hone tracker",
                                fmt::format("{}:{} admits no client: {}", folder_.list(), fault.line, fault.why)));
      }
      TakeList(list);
    }
    enrolments_ = ReadEnrolments(folder_, NowS());
    unreadable_ns_ = 0;
  } catch (const Error& error) {
    OnUnreadable(error.what());
  }
}

void Gatekeeper::OnUnreadable(const std::string& why) {
  if (unreadable_ns_ == 0) {
    unreadable_ns_ = read_ns_;
    WriteToStderr(ErrorLine("hone tracker", why));
  } else if (read_ns_ - unreadable_ns_ > kMostUnreadableNs && !keys_.empty()) {
    WriteToStderr(ErrorLine("hone tracker", why + "; no client is admitted until it can be read"));
    enrolments_.clear();
    TakeList({});
  }
}

std::optional<Sender> Gatekeeper::Find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto it = keys_.find(key);
  if (it == keys_.end() || IsOver(it->second, NowS())) return std::nullopt;
  return Sender{it->second.name, it->second.roles};
}

bool Gatekeeper::IsEnrolling(const std::string& key, int64_t now_s) {
  return std::any_of(enrolments_.begin(), enrolments_.end(),
                     [&](const Enrolment& e) { return e.once == key && now_s < e.until_s; });
}

bool Gatekeeper::TriesTooOften(const std::string& address) {
  const int64_t minute = MonotonicNs() / 60'000'000'000;
  if (minute != minute_ || refusals_.size() > kMostAddresses) refusals_.clear();
  minute_ = minute;
  const auto it = refusals_.find(NetworkOf(address));
  return it != refusals_.end() && it->second > kMostTries;
}

std::pair<std::string, std::string> Gatekeeper::WhyNot(const std::string& key) {
  if (key.empty()) return {"no key", ""};
  const auto it = keys_.find(key);
  if (it == keys_.end()) return {"not on the list", ""};
  return {"expired", fmt::format(" at {}", UtcTimeText(it->second.expires_s))};
}

bool Gatekeeper::Admits(const std::string& key, const std::string& address) {
  std::optional<Sender> sender = Find(key);
  std::pair<std::string, std::string> why;
  bool enrolling = false;
  if (!sender) {
    const std::lock_guard lock(mutex_);
    // The list may have been written a moment ago.
    if (StampOf(folder_) != stamp_) ReadFiles();
    why = WhyNot(key);
    enrolling = !TriesTooOften(address) && IsEnrolling(key, NowS());
    if (!enrolling) ++refusals_[NetworkOf(address)];
  }
  if (!sender && !enrolling) sender = Find(key);
  if (sender) audit_.Admitted(key, sender->name, RolesText(sender->roles), address);
  if (!sender && !enrolling) audit_.Refused(key, address, why.first, why.second);
  return sender || enrolling;
}

std::optional<std::string> Gatekeeper::Enrol(const std::string& key, std::string_view message,
                                             const std::string& address) {
  const std::lock_guard lock(mutex_);
  if (!IsEnrolling(key, NowS())) return std::nullopt;
  try {
    const Json asked = ParseJson(message.substr(0, 4096), "an enrolment");
    const std::string fresh =
        asked.is_object() && asked.contains("key") && asked["key"].is_string() ? asked["key"].get<std::string>() : "";
    AuthorizedKey made;
    if (!IsKey(fresh) || fresh == key) return Answer("refused", "a public key is wanted");
    if (!TakeEnrolment(folder_, key, fresh, NowS(), &made)) {
      audit_.Refused(fresh, address, "the code was used already");
      return Answer("refused", "the code was used already or is over");
    }
    audit_.Enrolled(made.key, made.name, RolesText(made.roles), address);
    ReadFiles();
    Json answer = {{"hone_enrolment", 1}, {"name", made.name}, {"roles", RolesText(made.roles)}};
    return DumpJson(answer);
  } catch (const Error& error) {
    LogError("hone tracker", fmt::format("an enrolment failed: {}", error.what()));
    return Answer("refused", "the tracker could not write its list, or the request was damaged");
  }
}

void Gatekeeper::NoteRefusal(const std::string& address, const std::string& why) { audit_.Refused("", address, why); }

void Gatekeeper::NoteDropped(const std::string& key) { audit_.Dropped(key); }

}  // namespace hone

// Decides who may connect to a tracker, by the present state of its list.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "rpc_runner/keys/audit.h"
#include "rpc_runner/keys/authorized_list.h"
#include "rpc_runner/keys/enrolment.h"
#include "rpc_runner/wire/security.h"

namespace hone {

// Thread-safe.
class Gatekeeper : public Gate {
 public:
  // Throws Error(kBadConfig) if the secret, the list or the enrolments cannot be read, or others may read or change
  // them. Throws it also if a line of the list is damaged. The audit must outlive it.
  Gatekeeper(const KeyFolder& folder, Audit& audit);

  const KeyPair& keys() const { return own_; }
  // Whether a connection may be made. `key` is empty if the peer showed none.
  bool Admits(const std::string& key, const std::string& address);
  // Reads the files again if they have changed. A damaged line admits no key; a list that is unreadable for two seconds
  // admits no key at all. Call it twice a second.
  void Refresh();

  std::optional<Sender> Find(const std::string& key) override;
  uint64_t generation() const override { return generation_; }
  std::optional<std::string> Enrol(const std::string& key, std::string_view message,
                                   const std::string& address) override;
  void NoteRefusal(const std::string& address, const std::string& why) override;
  void NoteDropped(const std::string& key) override;

 private:
  void ReadFiles();
  void TakeList(const AuthorizedList& list);
  void OnUnreadable(const std::string& why);
  void CountExpired(int64_t now_s);
  bool IsEnrolling(const std::string& key, int64_t now_s);
  bool TriesTooOften(const std::string& address);
  // A constant reason, and what follows it in the log.
  std::pair<std::string, std::string> WhyNot(const std::string& key);

  const KeyFolder folder_;
  Audit& audit_;
  const KeyPair own_;
  std::atomic<uint64_t> generation_{0};
  std::mutex mutex_;  // guards all members below
  std::string list_text_;
  std::map<std::string, AuthorizedKey> keys_;
  std::vector<Enrolment> enrolments_;
  size_t expired_ = 0;  // among keys_
  int64_t read_ns_ = 0;
  std::string stamp_;                    // of the files when they were read
  int64_t unreadable_ns_ = 0;            // since when the list is unreadable; 0: it is readable
  std::map<std::string, int> refusals_;  // by address, in this minute
  int64_t minute_ = 0;
};

}  // namespace hone

// One-time codes with which a machine brings its key to a tracker: docs/security.md, Enrolment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rpc_runner/keys/authorized_list.h"
#include "rpc_runner/keys/key_folder.h"

namespace hone {

inline constexpr int64_t kEnrolmentS = 600;
// Codes that are open at the same time, at most.
inline constexpr size_t kMostEnrolments = 64;

// What a code says: who the tracker is, and the pair of keys with which one may come to it once.
struct EnrolmentCode {
  std::string server_key;
  KeyPair once;
};
// 10 random bytes become the one-time pair.
std::string MakeEnrolmentCode(const std::string& server_key, EnrolmentCode* made);
// Throws Error(kUsage) on a text that is not a code or was mistyped.
EnrolmentCode ReadEnrolmentCode(std::string_view text);

// A line of a tracker's file `enrolments`: the one-time public key, and what the key that comes under it will be.
struct Enrolment {
  std::string once;
  uint8_t roles = 0;
  std::string name;
  int64_t until_s = 0;
  int64_t key_expires_s = 0;  // of the new key's line; 0: never
  std::string taken_by;       // the key that came; it alone may come again until then. Empty: none yet
};
// Lines that are damaged are left out: they admit nobody.
std::vector<Enrolment> ParseEnrolments(std::string_view text);
// Those of a folder that are not over; none when there is no file. Throws Error(kBadConfig).
std::vector<Enrolment> ReadEnrolments(const KeyFolder& folder, int64_t now_s);
// Throws Error: kBadConfig when too many are open, kCannotCreate.
void AddEnrolment(const KeyFolder& folder, const Enrolment& enrolment, int64_t now_s);
// Writes `key` into the list under the enrolment whose one-time key is `once`. False: there is no such enrolment any
// more, or another key took it.
bool TakeEnrolment(const KeyFolder& folder, const std::string& once, const std::string& key, int64_t now_s,
                   AuthorizedKey* made);

}  // namespace hone

// One-time codes with which a machine enrols its key at a tracker: docs/why/security.md, Enrolment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rpc_runner/keys/authorized_list.h"

namespace hone {

inline constexpr int64_t kEnrolmentS = 600;
// The most codes that are open at the same time.
inline constexpr size_t kMostEnrolments = 64;

// The contents of a code: the tracker's key, and the key pair for the one connection.
struct EnrolmentCode {
  std::string server_key;
  KeyPair once;
};
// Makes a code with a one-time pair from 10 random bytes.
std::string MakeEnrolmentCode(const std::string& server_key, EnrolmentCode* made);
// Throws Error(kUsage) if the text is not a code or was mistyped.
EnrolmentCode ReadEnrolmentCode(std::string_view text);

// A line of a tracker's file `enrolments`: the one-time public key, and the properties of the key to be enrolled.
struct Enrolment {
  std::string once;
  uint8_t roles = 0;
  std::string name;
  int64_t until_s = 0;
  int64_t key_expires_s = 0;  // for the new key's line; 0: never
  std::string taken_by;       // the key that was enrolled; only it may come again until until_s. Empty if none yet
};
// Leaves out damaged lines: they admit no key.
std::vector<Enrolment> ParseEnrolments(std::string_view text);
// A folder's enrolments that have not expired; empty if there is no file. Throws Error(kBadConfig).
std::vector<Enrolment> ReadEnrolments(const KeyFolder& folder, int64_t now_s);
// Throws Error: kBadConfig if too many are open, kCannotCreate.
void AddEnrolment(const KeyFolder& folder, const Enrolment& enrolment, int64_t now_s);
// Writes `key` into the list under the enrolment whose one-time key is `once`. Returns false if that enrolment is gone
// or another key took it.
bool TakeEnrolment(const KeyFolder& folder, const std::string& once, const std::string& key, int64_t now_s,
                   AuthorizedKey* made);

}  // namespace hone

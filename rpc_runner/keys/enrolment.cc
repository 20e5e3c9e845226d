#include "rpc_runner/keys/enrolment.h"

#include <fmt/format.h>
#include <sodium/crypto_hash_sha256.h>
#include <sodium/utils.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/keys/key_file.h"

namespace hone {
namespace {

// "h1" and the base64url of the server's key, the seed and three check bytes against typing errors.
constexpr std::string_view kPrefix = "h1";
constexpr size_t kSeedBytes = 10;
constexpr size_t kCheckBytes = 3;
constexpr int kVariant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;

std::string CheckOf(std::string_view bytes) {
  const std::string text = fmt::format("hone enrolment check {}", bytes);
  std::string digest(crypto_hash_sha256_BYTES, '\0');
  crypto_hash_sha256(reinterpret_cast<unsigned char*>(digest.data()),
                     reinterpret_cast<const unsigned char*>(text.data()), text.size());
  return digest.substr(0, kCheckBytes);
}

KeyPair OnceOf(std::string_view seed) { return KeyPairOf(fmt::format("hone enrolment 1 {}", seed)); }

std::string Encode(std::string_view bytes) {
  std::array<char, 128> text{};
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                    kVariant);
  return text.data();
}

std::string Decode(std::string_view text) {
  std::string bytes(text.size(), '\0');
  size_t size = 0;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(), text.size(), nullptr,
                        &size, nullptr, kVariant) != 0) {
    return "";
  }
  bytes.resize(size);
  return bytes;
}

std::string EnrolmentLine(const Enrolment& e) {
  return fmt::format("{} {} {} {} {} {}", e.once, RolesText(e.roles), e.name, e.until_s, e.key_expires_s,
                     e.taken_by.empty() ? "-" : e.taken_by);
}

bool ReadLine(std::string_view line, Enrolment* e) {
  const std::vector<std::string_view> words = Split(line, ' ');
  if (words.size() != 6 || !IsKey(words[0]) || !IsKeyName(words[2])) return false;
  const std::optional<uint8_t> roles = ParseRoles(words[1]);
  const std::optional<int64_t> until = ParseInteger(words[3]), expires = ParseInteger(words[4]);
  const bool taken = words[5] != "-";
  if (!roles || !until || !expires || (taken && !IsKey(words[5]))) return false;
  *e = {std::string(words[0]), *roles, std::string(words[2]), *until, *expires, taken ? std::string(words[5]) : ""};
  return true;
}

void WriteEnrolments(const KeyFolder& folder, const std::vector<Enrolment>& enrolments) {
  std::string text;
  for (const Enrolment& e : enrolments) text += EnrolmentLine(e) + "\n";
  WriteKeyFile(folder.enrolments(), text, Secrecy::kSecret);
}

}  // namespace

std::string MakeEnrolmentCode(const std::string& server_key, EnrolmentCode* made) {
  std::string seed(kSeedBytes, '\0');
  if (getrandom(seed.data(), seed.size(), 0) != static_cast<ssize_t>(seed.size())) {
    throw Error(ExitCode::kIo, "the system gives no random numbers");
  }
  const std::string bytes = KeyBytes(server_key) + seed;
  *made = {server_key, OnceOf(seed)};
  return fmt::format("{}{}", kPrefix, Encode(bytes + CheckOf(bytes)));
}

EnrolmentCode ReadEnrolmentCode(std::string_view text) {
  const Error refused(ExitCode::kUsage, "the enrolment code is mistyped or cut; hone key enroll prints it whole");
  if (!text.starts_with(kPrefix)) throw refused;
  std::string bytes = Decode(text.substr(kPrefix.size()));
  if (bytes.size() != kCurveKeyBytes + kSeedBytes + kCheckBytes) throw refused;
  const std::string check = bytes.substr(kCurveKeyBytes + kSeedBytes);
  bytes.resize(kCurveKeyBytes + kSeedBytes);
  if (CheckOf(bytes) != check) throw refused;
  return {KeyText(bytes.substr(0, kCurveKeyBytes)), OnceOf(std::string_view(bytes).substr(kCurveKeyBytes))};
}

std::vector<Enrolment> ParseEnrolments(std::string_view text) {
  std::vector<Enrolment> enrolments;
  for (const std::string_view line : Split(text, '\n')) {
    Enrolment e;
    if (ReadLine(line, &e)) enrolments.push_back(std::move(e));
  }
  return enrolments;
}

std::vector<Enrolment> ReadEnrolments(const KeyFolder& folder, int64_t now_s) {
  const std::string path = folder.enrolments();
  if (!KeyFileIsThere(path)) return {};
  std::vector<Enrolment> enrolments = ParseEnrolments(ReadKeyFile(path, Secrecy::kSecret, "the list of enrolments"));
  // An enrolment far in the future was not made by hone key enroll, or the clock was wrong.
  std::erase_if(enrolments, [&](const Enrolment& e) { return e.until_s <= now_s || e.until_s > now_s + kEnrolmentS; });
  return enrolments;
}

void AddEnrolment(const KeyFolder& folder, const Enrolment& enrolment, int64_t now_s) {
  const KeyFileLock lock(folder.lock());
  std::vector<Enrolment> enrolments = ReadEnrolments(folder, now_s);
  if (enrolments.size() >= kMostEnrolments) {
    throw Error(ExitCode::kBadConfig,
                fmt::format("{} codes are open already; each ends after 10 minutes", enrolments.size()));
  }
  enrolments.push_back(enrolment);
  WriteEnrolments(folder, enrolments);
}

bool TakeEnrolment(const KeyFolder& folder, const std::string& once, const std::string& key, int64_t now_s,
                   AuthorizedKey* made) {
  {
    const KeyFileLock lock(folder.lock());
    std::vector<Enrolment> enrolments = ReadEnrolments(folder, now_s);
    const auto it = std::find_if(enrolments.begin(), enrolments.end(), [&](const auto& e) { return e.once == once; });
    if (it == enrolments.end() || (!it->taken_by.empty() && it->taken_by != key)) return false;
    *made = {key, it->roles, it->name, it->key_expires_s};
    it->taken_by = key;
    // Written first, so that no other key can take the enrolment, whatever happens next.
    WriteEnrolments(folder, enrolments);
  }
  Authorize(folder, *made);
  return true;
}

}  // namespace hone

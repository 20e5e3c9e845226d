#include "core/hash/minisign.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "core/text/base64.h"
#include "core/text/parse_number.h"

namespace hone {
namespace {

constexpr std::string_view kKeyAlgorithm = "Ed";
constexpr std::string_view kHashedAlgorithm = "ED";
constexpr std::string_view kNoPassword = std::string_view("\0\0", 2);
constexpr std::string_view kChecksum = "B2";
constexpr std::string_view kTrusted = "trusted comment: ";
constexpr size_t kSaltAndLimits = 32 + 8 + 8;
using SignatureBytes = std::array<unsigned char, crypto_sign_BYTES>;

[[noreturn]] void RefuseMinisign(std::string_view why) { throw Error(ExitCode::kBadData, std::string(why)); }

void Begin() {
  if (sodium_init() < 0) throw Error(ExitCode::kIo, "libsodium cannot begin: the system gives no random numbers");
}

// The decoded bytes if there are exactly `size` and they begin with `algorithm`; empty otherwise.
std::string BytesOf(std::string_view text, size_t size, std::string_view algorithm) {
  std::string bytes(size, '\0');
  return FromBase64(text, bytes.data(), size) && bytes.starts_with(algorithm) ? bytes : "";
}

template <size_t N>
std::string_view View(const std::array<unsigned char, N>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), N};
}

template <size_t N>
void TakeBytes(std::string_view bytes, size_t& at, std::array<unsigned char, N>& to) {
  std::memcpy(to.data(), bytes.data() + at, N);
  at += N;
}

// The lines without their ends, CR included.
std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines = Split(text, '\n');
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

template <size_t N>
std::array<unsigned char, N> Blake2b(std::string_view bytes) {
  std::array<unsigned char, N> digest{};
  crypto_generichash(digest.data(), N, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr, 0);
  return digest;
}

std::string ChecksumOf(const SigningKey& key) {
  return std::string(View(
      Blake2b<32>(std::string(kKeyAlgorithm) + std::string(View(key.public_key.id)) + std::string(View(key.secret)))));
}

SignatureBytes SignatureOf(std::string_view bytes, const SigningKey& key) {
  SignatureBytes signature{};
  crypto_sign_detached(signature.data(), nullptr, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                       key.secret.data());
  return signature;
}

bool Holds(const SignatureBytes& signature, std::string_view bytes, const SigningPublicKey& key) {
  return crypto_sign_verify_detached(signature.data(), reinterpret_cast<const unsigned char*>(bytes.data()),
                                     bytes.size(), key.key.data()) == 0;
}

struct Parsed {
  SigningKeyId id{};
  SignatureBytes signature{}, global{};
  std::string trusted_comment;
};

Parsed ParseSignature(std::string_view text) {
  const std::vector<std::string_view> lines = LinesOf(text);
  const bool shaped =
      lines.size() >= 4 && lines[0].starts_with("untrusted comment: ") && lines[2].starts_with(kTrusted);
  const std::string first = shaped ? BytesOf(lines[1], 2 + 8 + crypto_sign_BYTES, kHashedAlgorithm) : "";
  const std::string second = shaped ? BytesOf(lines[3], crypto_sign_BYTES, "") : "";
  if (first.empty() || second.empty())
    RefuseMinisign("not a signature as minisign writes it (hashed, as since version 0.10)");
  Parsed parsed;
  size_t at = 2, begin = 0;
  TakeBytes(first, at, parsed.id);
  TakeBytes(first, at, parsed.signature);
  TakeBytes(second, begin, parsed.global);
  parsed.trusted_comment = lines[2].substr(kTrusted.size());
  return parsed;
}

}  // namespace

std::string SigningPublicKey::ToText() const {
  return Base64(std::string(kKeyAlgorithm) + std::string(View(id)) + std::string(View(key)));
}

// The id is printed as a little-endian number.
std::string SigningPublicKey::IdText() const {
  std::string text;
  for (size_t i = id.size(); i-- > 0;) text += fmt::format("{:02X}", id.at(i));
  return text;
}

SigningPublicKey SigningPublicKey::Parse(std::string_view text) {
  Begin();
  const std::vector<std::string_view> lines = LinesOf(text);
  const bool file = lines[0].starts_with("untrusted comment:") && lines.size() > 1;
  const std::string bytes = BytesOf(lines[file ? 1 : 0], 2 + 8 + 32, kKeyAlgorithm);
  if (bytes.empty()) RefuseMinisign("not a public key as minisign writes it: a word of 56 letters that begins with RW");
  SigningPublicKey key;
  size_t at = 2;
  TakeBytes(bytes, at, key.id);
  TakeBytes(bytes, at, key.key);
  return key;
}

SigningKey MakeSigningKey() {
  Begin();
  SigningKey key;
  randombytes_buf(key.public_key.id.data(), key.public_key.id.size());
  crypto_sign_keypair(key.public_key.key.data(), key.secret.data());
  return key;
}

std::string SecretKeyFile(const SigningKey& key) {
  const std::string bytes = std::string(kKeyAlgorithm) + std::string(kNoPassword) + std::string(kChecksum) +
                            std::string(kSaltAndLimits, '\0') + std::string(View(key.public_key.id)) +
                            std::string(View(key.secret)) + ChecksumOf(key);
  return fmt::format("untrusted comment: minisign secret key of hone\n{}\n", Base64(bytes));
}

std::string PublicKeyFile(const SigningPublicKey& key) {
  return fmt::format("untrusted comment: minisign public key {}\n{}\n", key.IdText(), key.ToText());
}

SigningKey ParseSecretKeyFile(std::string_view text) {
  Begin();
  const std::vector<std::string_view> lines = LinesOf(text);
  constexpr size_t kHead = 2 + 2 + 2 + kSaltAndLimits;
  const std::string bytes = lines.size() < 2 ? "" : BytesOf(lines[1], kHead + 8 + 64 + 32, kKeyAlgorithm);
  if (bytes.empty()) RefuseMinisign("not a secret key as minisign writes it");
  if (bytes.substr(2, 2) != kNoPassword) {
    throw Error(ExitCode::kBadConfig,
                "the secret key has a password: sign with `minisign -S` itself, or make one with hone log keygen");
  }
  SigningKey key;
  size_t at = kHead;
  TakeBytes(bytes, at, key.public_key.id);
  TakeBytes(bytes, at, key.secret);
  if (bytes.substr(at) != ChecksumOf(key)) RefuseMinisign("the secret key is damaged");
  crypto_sign_ed25519_sk_to_pk(key.public_key.key.data(), key.secret.data());
  return key;
}

std::string SignBytes(std::string_view bytes, const SigningKey& key, std::string_view trusted_comment) {
  Begin();
  const SignatureBytes signature = SignatureOf(View(Blake2b<64>(bytes)), key);
  const SignatureBytes global = SignatureOf(std::string(View(signature)) + std::string(trusted_comment), key);
  const std::string first =
      std::string(kHashedAlgorithm) + std::string(View(key.public_key.id)) + std::string(View(signature));
  return fmt::format("untrusted comment: signature of a hone pack\n{}\n{}{}\n{}\n", Base64(first), kTrusted,
                     trusted_comment, Base64(View(global)));
}

SigningKeyId SignerOf(std::string_view signature) {
  Begin();
  return ParseSignature(signature).id;
}

std::string CheckSignature(std::string_view bytes, std::string_view signature, const SigningPublicKey& key) {
  Begin();
  const Parsed parsed = ParseSignature(signature);
  const bool right = parsed.id == key.id && Holds(parsed.signature, View(Blake2b<64>(bytes)), key) &&
                     Holds(parsed.global, std::string(View(parsed.signature)) + parsed.trusted_comment, key);
  if (!right) {
    throw Error(ExitCode::kNotAuthorised, fmt::format("the signature is not one of key {} of this file", key.IdText()));
  }
  return parsed.trusted_comment;
}

}  // namespace hone

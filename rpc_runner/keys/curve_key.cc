#include "rpc_runner/keys/curve_key.h"

#include <fmt/format.h>
#include <sodium/crypto_hash_sha256.h>
#include <sodium/utils.h>
#include <zmq.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/error.h"

namespace hone {
namespace {

constexpr size_t kKeyCharacters = 40;
constexpr size_t kPrefixCharacters = 8;
constexpr std::string_view kZ85 =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

std::string Sha256Bytes(std::string_view bytes) {
  std::string digest(crypto_hash_sha256_BYTES, '\0');
  crypto_hash_sha256(reinterpret_cast<unsigned char*>(digest.data()),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return digest;
}

}  // namespace

KeyPair NewKeyPair() {
  std::array<char, kKeyCharacters + 1> public_key{}, secret_key{};
  do {
    if (zmq_curve_keypair(public_key.data(), secret_key.data()) != 0) {
      throw Error(ExitCode::kBadConfig, "this libzmq has no CURVE; one that was built with libsodium is wanted");
    }
  } while (std::isalnum(static_cast<unsigned char>(public_key[0])) == 0);
  return {public_key.data(), secret_key.data()};
}

KeyPair KeyPairOf(std::string_view seed) {
  const std::string secret = KeyText(Sha256Bytes(seed));
  return {PublicKeyOf(secret), secret};
}

bool IsKey(std::string_view text) {
  if (text.size() != kKeyCharacters || text.find_first_not_of(kZ85) != text.npos) return false;
  // Five characters can express more than four bytes hold.
  for (size_t at = 0; at < text.size(); at += 5) {
    uint64_t value = 0;
    for (const char c : text.substr(at, 5)) value = value * 85 + kZ85.find(c);
    if (value > 0xFFFFFFFFu) return false;
  }
  return true;
}

std::string PublicKeyOf(const std::string& secret_key) {
  std::array<char, kKeyCharacters + 1> public_key{};
  if (!IsKey(secret_key) || zmq_curve_public(public_key.data(), secret_key.c_str()) != 0) {
    throw Error(ExitCode::kBadConfig, "a secret key is 40 characters of Z85");
  }
  return public_key.data();
}

std::string KeyText(std::string_view bytes) {
  std::array<char, kKeyCharacters + 1> text{};
  zmq_z85_encode(text.data(), reinterpret_cast<const uint8_t*>(bytes.data()), std::min(bytes.size(), kCurveKeyBytes));
  return text.data();
}

std::string KeyBytes(std::string_view text) {
  std::string bytes(kCurveKeyBytes, '\0');
  zmq_z85_decode(reinterpret_cast<uint8_t*>(bytes.data()), std::string(text.substr(0, kKeyCharacters)).c_str());
  return bytes;
}

std::string KeyFingerprint(const std::string& public_key) {
  const std::string digest = Sha256Bytes(KeyBytes(public_key));
  std::array<char, 64> text{};
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(digest.data()), digest.size(),
                    sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
  return fmt::format("SHA256:{}", text.data());
}

std::string KeyPrefix(const std::string& public_key) { return public_key.substr(0, kPrefixCharacters); }

}  // namespace hone

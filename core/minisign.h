// Signatures that stock minisign makes and checks too (jedisct1.github.io/minisign, "Minisign signature format"):
// Ed25519 over BLAKE2b-512 of a file, and over that signature with a comment that is signed so.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

using SigningKeyId = std::array<unsigned char, 8>;

struct SigningPublicKey {
  SigningKeyId id{};
  std::array<unsigned char, 32> key{};

  // As minisign -P takes it: one word of base64.
  std::string ToText() const;
  // 16 hex digits, as minisign prints it.
  std::string IdText() const;
  // That word, or a file that has it in its second line. Throws Error(kBadData).
  static SigningPublicKey Parse(std::string_view text);
  bool operator==(const SigningPublicKey&) const = default;
};

struct SigningKey {
  SigningPublicKey public_key;
  std::array<unsigned char, 64> secret{};
};

SigningKey MakeSigningKey();
// The files of minisign -G -W: the secret key without a password, and the public one.
std::string SecretKeyFile(const SigningKey& key);
std::string PublicKeyFile(const SigningPublicKey& key);
// Throws Error: kBadData for what is no secret key, kBadConfig for one with a password, which only minisign can use.
SigningKey ParseSecretKeyFile(std::string_view text);

// The text of a .minisig file. `trusted_comment` is one line.
std::string SignBytes(std::string_view bytes, const SigningKey& key, std::string_view trusted_comment);
// Whose signature it says it is. Throws Error(kBadData).
SigningKeyId SignerOf(std::string_view signature);
// The trusted comment. Throws Error(kNotAuthorised) when the signature is not the key's of these bytes and this
// comment, Error(kBadData) when it is no signature.
std::string CheckSignature(std::string_view bytes, std::string_view signature, const SigningPublicKey& key);

}  // namespace hone

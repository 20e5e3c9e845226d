// Signatures that standard minisign makes and checks too (jedisct1.github.io/minisign, "Minisign signature format").
// One Ed25519 signature covers BLAKE2b-512 of a file, and a second covers the first together with the trusted comment.
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

  // One word of base64, as `minisign -P` takes it.
  std::string ToText() const;
  // 16 hex digits, as minisign prints it.
  std::string IdText() const;
  // Parses that word, or a file that has it in its second line. Throws Error(kBadData).
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
// Throws Error: kBadData if the text is no secret key, kBadConfig if the key has a password, which only minisign can
// use.
SigningKey ParseSecretKeyFile(std::string_view text);

// The text of a .minisig file. `trusted_comment` is one line.
std::string SignBytes(std::string_view bytes, const SigningKey& key, std::string_view trusted_comment);
// The id of the key that the signature claims. Throws Error(kBadData).
SigningKeyId SignerOf(std::string_view signature);
// Returns the trusted comment. Throws Error(kNotAuthorised) unless the key made the signature for these bytes and this
// comment, and Error(kBadData) if `signature` is no signature.
std::string CheckSignature(std::string_view bytes, std::string_view signature, const SigningPublicKey& key);

}  // namespace hone

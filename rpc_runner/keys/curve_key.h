// Keys of ZeroMQ's CURVE (Curve25519) as text: Z85, 40 characters.
#pragma once

#include <string>
#include <string_view>

#include "rpc_runner/wire/security.h"

namespace hone {

// From the system's random source. The public key begins with a letter or a digit, so that it is a word on any command
// line in quotes.
KeyPair NewKeyPair();
// The pair whose secret is the SHA-256 of `seed`: the same on every machine.
KeyPair KeyPairOf(std::string_view seed);
// Whether it is 32 bytes in Z85.
bool IsKey(std::string_view text);
// Throws Error(kBadConfig) when IsKey is false.
std::string PublicKeyOf(const std::string& secret_key);
// 32 bytes as Z85, and back; the text must be one of which IsKey is true.
std::string KeyText(std::string_view bytes);
std::string KeyBytes(std::string_view text);
// "SHA256:" and the hash of the key's 32 bytes in base64 without padding, as ssh-keygen -l writes it.
std::string Fingerprint(const std::string& public_key);
// The first characters: enough to find a key in a list, and all that is told of one that is refused.
std::string KeyPrefix(const std::string& public_key);

}  // namespace hone

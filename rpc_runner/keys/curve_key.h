// Keys of ZeroMQ's CURVE (Curve25519) as text: Z85, 40 characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "rpc_runner/wire/security.h"

namespace hone {

// The size of a key before it becomes text.
inline constexpr size_t kCurveKeyBytes = 32;

// A random pair from the system's source. The public key begins with a letter or a digit, so that it is a safe quoted
// word on any command line.
KeyPair NewKeyPair();
// The pair whose secret is the SHA-256 of `seed`, equal on every machine.
KeyPair KeyPairOf(std::string_view seed);
// Whether the text is 32 bytes in Z85.
bool IsKey(std::string_view text);
// Throws Error(kBadConfig) if IsKey is false.
std::string PublicKeyOf(const std::string& secret_key);
// Converts 32 bytes to Z85 and back; IsKey must hold for the text.
std::string KeyText(std::string_view bytes);
std::string KeyBytes(std::string_view text);
// "SHA256:" and the hash of the key's 32 bytes in base64 without padding, as ssh-keygen -l writes it.
std::string KeyFingerprint(const std::string& public_key);
// The first characters: enough to find a key in a list, and all that is shown of a refused one.
std::string KeyPrefix(const std::string& public_key);

}  // namespace hone

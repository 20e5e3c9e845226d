// The user's list of trusted pack signers.
#pragma once

#include <string>

#include "db/packs/trusted_keys.h"

namespace hone {

// Path of `trusted_packs` in the user's configuration folder (ConfigFolder).
std::string TrustedKeysPath();
// The list; empty if there is no such file.
TrustedKeys ReadTrustedKeys();
void WriteTrustedKeys(const TrustedKeys& trusted);
// Parses a public key, or reads a file with one. Throws Error(kBadData).
SigningPublicKey SigningKeyOf(const std::string& key_or_file);
// A list with only this key.
TrustedKeys OnlyKey(const std::string& key_or_file);

}  // namespace hone

// The user's list of whose packs are taken.
#pragma once

#include <string>

#include "db/packs/trusted_keys.h"

namespace hone {

// `trusted_packs` in the user's folder for settings (ConfigFolder).
std::string TrustedKeysPath();
// Nobody when there is no such file.
TrustedKeys ReadTrustedKeys();
void WriteTrustedKeys(const TrustedKeys& trusted);
// A public key's word, or a file with one. Throws Error(kBadData).
SigningPublicKey SigningKeyOf(const std::string& key_or_file);
// A list of this one alone.
TrustedKeys OnlyKey(const std::string& key_or_file);

}  // namespace hone

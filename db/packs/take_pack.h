// Takes a signed pack into a store.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "db/packs/pack.h"
#include "db/packs/trusted_keys.h"

namespace hone {

// A pack with a valid signature and content.
struct CheckedPack {
  RecordPack pack;
  SigningPublicKey key;
  std::string signer;  // the name under which the key is trusted
  std::string sha256;  // of the file
};

// Checks the signature first, with the trusted key that it names, then the pack, and that the signed comment belongs
// to it. Throws Error: kNotAuthorised (no trusted key, or not for this file), kBadData.
CheckedPack CheckPack(std::string_view bytes, std::string_view signature, const TrustedKeys& trusted);
// The trusted comment of the pack's signature.
std::string PackComment(const PackManifest& manifest);

struct TakenPack {
  int64_t fresh = 0, known = 0;
};
// Puts the records into the store at `path`, which is made if absent, and notes the pack, in one transaction. So a
// store with records of a pack always lists the pack. Throws Error(kNotAuthorised) when the store has taken a newer
// pack of this name and signer, or another one with the same serial. Also throws the errors of RecordStore.
TakenPack TakePack(const std::string& path, const CheckedPack& pack, int64_t now_unix_ms);

}  // namespace hone

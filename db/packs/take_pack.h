// A signed pack's way into a store.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "db/packs/pack.h"
#include "db/packs/trusted_keys.h"

namespace hone {

// A pack whose signature and content hold.
struct CheckedPack {
  RecordPack pack;
  SigningPublicKey key;
  std::string signer;  // the name under which the key is trusted
  std::string sha256;  // of the file
};

// Checks the signature first, with the trusted key that it names, then the pack and that the signed comment is of this
// pack. Throws Error: kNotAuthorised (nobody trusted, or not this file), kBadData.
CheckedPack CheckPack(std::string_view bytes, std::string_view signature, const TrustedKeys& trusted);
// What the trusted comment of a pack's signature says.
std::string PackComment(const PackManifest& manifest);

struct TakenPack {
  int64_t fresh = 0, known = 0;
};
// Puts the records into the store at `path`, which is made when it is not there, and notes the pack, in one
// transaction: a store that holds records of a pack knows of it, however it ends. Throws Error: kNotAuthorised when the
// store has taken a newer pack of this name and signer, or another one of the same serial; and what RecordStore throws.
TakenPack TakePack(const std::string& path, const CheckedPack& pack, int64_t now_unix_ms);

}  // namespace hone

// Takes a signed pack into a store, if its key is trusted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/hash/minisign.h"
#include "db/packs/pack.h"

namespace hone {

// A key whose packs are accepted.
struct TrustedKey {
  std::string name;  // one word
  SigningPublicKey key;
};

// All of them: a text file of lines "KEY NAME"; '#' begins a comment. docs/reference/formats.md describes it.
// Thread-compatible.
class TrustedKeys {
 public:
  // Trusts no key if the text is empty. Throws Error(kBadConfig) with the line that is wrong.
  static TrustedKeys Parse(std::string_view text, const std::string& path);
  std::string ToText() const;

  const std::vector<TrustedKey>& keys() const { return keys_; }
  // Null if no key of that id is trusted.
  const TrustedKey* Find(const SigningKeyId& id) const;
  // Throws Error(kUsage) if the name is not one word, or if the key or the name exists.
  void Add(const std::string& name, const SigningPublicKey& key);
  // Removes by name, or by id as IdText prints it. Returns the number of keys removed.
  int Remove(std::string_view which);

 private:
  std::vector<TrustedKey> keys_;
};

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

// The keys whose packs are accepted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/hash/minisign.h"

namespace hone {

struct TrustedKey {
  std::string name;  // one word
  SigningPublicKey key;
};

// A text file of lines "KEY NAME"; '#' begins a comment. docs/reference/formats.md describes it. Thread-compatible.
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

}  // namespace hone

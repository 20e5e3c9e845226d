// Whose packs are taken.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/minisign.h"

namespace hone {

struct TrustedKey {
  std::string name;  // one word
  SigningPublicKey key;
};

// A text file of lines "KEY NAME"; '#' begins a comment. docs/formats.md describes it. Thread-compatible.
class TrustedKeys {
 public:
  // Nobody when there is no file. Throws Error(kBadConfig) with the line that is wrong.
  static TrustedKeys Parse(std::string_view text, const std::string& path);
  std::string ToText() const;

  const std::vector<TrustedKey>& keys() const { return keys_; }
  // Null when nobody of that id is trusted.
  const TrustedKey* Find(const SigningKeyId& id) const;
  // Throws Error(kUsage) for a name that is no word, and for a key or a name that is there.
  void Add(const std::string& name, const SigningPublicKey& key);
  // By name, or id as IdText. Returns how many went.
  int Remove(std::string_view which);

 private:
  std::vector<TrustedKey> keys_;
};

}  // namespace hone

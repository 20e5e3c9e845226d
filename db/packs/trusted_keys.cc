#include "db/packs/trusted_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/error.h"
#include "core/text/parse_number.h"

namespace hone {
namespace {

bool IsWord(std::string_view name) {
  return !name.empty() && name.size() <= 64 &&
         std::all_of(name.begin(), name.end(), [](char c) { return std::isgraph(static_cast<unsigned char>(c)) != 0; });
}

TrustedKey KeyOf(std::string_view line) {
  const std::vector<std::string_view> words = Split(line, ' ');
  if (words.size() != 2 || !IsWord(words[1])) throw Error(ExitCode::kBadData, "a line is KEY NAME");
  return {std::string(words[1]), SigningPublicKey::Parse(words[0])};
}

}  // namespace

TrustedKeys TrustedKeys::Parse(std::string_view text, const std::string& path) {
  TrustedKeys trusted;
  int number = 0;
  for (std::string_view line : Split(text, '\n')) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    try {
      trusted.keys_.push_back(KeyOf(line));
    } catch (const Error& error) {
      throw Error(ExitCode::kBadConfig, fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
  return trusted;
}

std::string TrustedKeys::ToText() const {
  std::string text = "# whose packs `hone log pull` takes: KEY NAME\n";
  for (const TrustedKey& key : keys_) text += fmt::format("{} {}\n", key.key.ToText(), key.name);
  return text;
}

const TrustedKey* TrustedKeys::Find(const SigningKeyId& id) const {
  const auto at = std::find_if(keys_.begin(), keys_.end(), [&](const TrustedKey& key) { return key.key.id == id; });
  return at == keys_.end() ? nullptr : &*at;
}

void TrustedKeys::Add(const std::string& name, const SigningPublicKey& key) {
  if (!IsWord(name))
    throw Error(ExitCode::kUsage, fmt::format("'{}' is no name: one word of at most 64 letters is", name));
  for (const TrustedKey& other : keys_) {
    if (other.name == name || other.key.id == key.id) {
      throw Error(ExitCode::kUsage,
                  fmt::format("key {} is trusted as '{}' already; untrust it first", other.key.IdText(), other.name));
    }
  }
  keys_.push_back({name, key});
}

int TrustedKeys::Remove(std::string_view which) {
  return static_cast<int>(
      std::erase_if(keys_, [&](const TrustedKey& key) { return key.name == which || key.key.IdText() == which; }));
}

}  // namespace hone

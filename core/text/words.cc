#include "core/text/words.h"

namespace hone {

std::vector<std::string_view> Words(std::string_view text) {
  constexpr std::string_view kBetween = " \t\n";
  std::vector<std::string_view> words;
  for (size_t begin = text.find_first_not_of(kBetween); begin != text.npos;) {
    const size_t end = text.find_first_of(kBetween, begin);
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kBetween, end);
  }
  return words;
}

}  // namespace hone

#include "tests/lab/html_parts.h"

#include <algorithm>
#include <set>
#include <vector>

namespace hone {

bool IsWellFormed(const std::string& html) {
  std::vector<std::string> open;
  const std::set<std::string> alone = {"meta", "!doctype"};
  for (size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const size_t end = html.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = html.substr(at + 1, end - at - 1);
    const std::string name =
        tag.substr(tag.starts_with('/') ? 1 : 0, tag.find_first_of(" /", 1) - (tag.starts_with('/') ? 1 : 0));
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return false;
    if (alone.contains(name) || tag.ends_with('/')) continue;
    if (!tag.starts_with('/')) {
      open.push_back(name);
    } else if (open.empty() || open.back() != tag.substr(1)) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

Json DrawnBy(const std::string& html) {
  const std::string attribute = "data-chart=\"";
  const size_t begin = html.find(attribute);
  if (begin == std::string::npos) return Json::object();
  std::string text = html.substr(begin + attribute.size());
  text = text.substr(0, text.find('"'));
  for (size_t at = text.find("&quot;"); at != std::string::npos; at = text.find("&quot;", at))
    text.replace(at, 6, "\"");
  return ParseJson(text, "a chart");
}

}  // namespace hone

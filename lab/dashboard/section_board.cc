#include "lab/dashboard/section_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/json/serialize.h"

namespace hone {

SectionBoard::SectionBoard(size_t groups) : groups_(groups) {}

bool SectionBoard::Put(size_t group, std::vector<Section> sections) {
  const std::lock_guard lock(mutex_);
  std::vector<Shown>& before = groups_.at(group);
  std::vector<Shown> after;
  bool changed = sections.size() != before.size();
  for (size_t i = 0; i < sections.size(); ++i) {
    const auto known = std::find_if(before.begin(), before.end(),
                                    [&](const Shown& shown) { return shown.section.id == sections[i].id; });
    const bool same = known != before.end() && known->section.html == sections[i].html;
    changed = changed || !same || before[i].section.id != sections[i].id;
    after.push_back({std::move(sections[i]), same ? known->version : version_ + 1});
  }
  if (!changed) return false;
  ++version_;
  before = std::move(after);
  return true;
}

std::string SectionBoard::TextSince(int64_t version) const {
  Json order = Json::array(), html = Json::object();
  for (const std::vector<Shown>& group : groups_) {
    for (const Shown& shown : group) {
      order.push_back(shown.section.id);
      if (shown.version > version) html[shown.section.id] = shown.section.html;
    }
  }
  return fmt::format("id: {}\nevent: sections\ndata: {}\n\n", version_,
                     DumpJson({{"order", std::move(order)}, {"html", std::move(html)}}));
}

SectionBoard::Update SectionBoard::Since(int64_t version) const {
  const std::lock_guard lock(mutex_);
  if (version >= version_) return {nullptr, version_};
  if (last_.version != version_ || last_from_ != version) {
    last_ = {std::make_shared<const std::string>(TextSince(version)), version_};
    last_from_ = version;
  }
  return last_;
}

std::string SectionBoard::Html() const {
  const std::lock_guard lock(mutex_);
  std::string html;
  for (const std::vector<Shown>& group : groups_) {
    for (const Shown& shown : group) {
      html += fmt::format("<section id=\"{}\">{}</section>\n", shown.section.id, shown.section.html);
    }
  }
  return html;
}

}  // namespace hone

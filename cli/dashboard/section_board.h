// The newest state of a page that is watched: its sections, and what has changed in them since a viewer looked last.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace hone {

struct Section {
  std::string id;    // letters, digits and '-'
  std::string html;  // what lies inside
};

// Only the newest state is kept, so that a viewer who is slow misses states and never makes them pile up. Safe to use
// from several threads.
class SectionBoard {
 public:
  // `groups`: how many sources there are; their sections follow each other.
  explicit SectionBoard(size_t groups);

  // Replaces what this source showed. Returns whether that changes anything.
  bool Put(size_t group, std::vector<Section> sections);

  // An event of text/event-stream ("id", "event: sections", "data") that brings a viewer from a version, 0 for none, to
  // the newest: {"order": ids, "html": {id: html} of those that changed}. Null when it is there already. Viewers of one
  // version share the text.
  struct Update {
    std::shared_ptr<const std::string> text;
    int64_t version = 0;
  };
  Update Since(int64_t version) const;

  // All sections as they are now, each in an element <section id="...">.
  std::string Html() const;

 private:
  struct Shown {
    Section section;
    int64_t version = 0;  // with which it came to say this
  };
  std::string TextSince(int64_t version) const;

  mutable std::mutex mutex_;
  std::vector<std::vector<Shown>> groups_;
  int64_t version_ = 1;  // of the board before anything was put there, so that each viewer gets a first event
  mutable Update last_;  // the last that was made, and from where it leads
  mutable int64_t last_from_ = -1;
};

}  // namespace hone

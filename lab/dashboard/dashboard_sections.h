// A dashboard's sections as HTML, made from plain values. All given text is escaped.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lab/dashboard/tuning_watch.h"
#include "rpc_runner/tracker/tracker_status.h"

namespace hone {

// The newest state of a watched page: its sections, and what changed in them since a viewer's last update.

struct Section {
  std::string id;    // letters, digits and '-'
  std::string html;  // inner HTML
};

// Keeps only the newest state, so a slow viewer skips states and never makes them pile up. Thread-safe.
class SectionBoard {
 public:
  // `groups` is the number of sources, whose sections follow each other.
  explicit SectionBoard(size_t groups);

  // Replaces this source's sections. Returns whether anything changed.
  bool Put(size_t group, std::vector<Section> sections);

  // An event of text/event-stream ("id", "event: sections", "data") that takes a viewer from a version (0: none) to the
  // newest. Its data are {"order": ids, "html": {id: html} of changed sections}. The text is null if the viewer is up
  // to date. Viewers of one version share the text.
  struct Update {
    std::shared_ptr<const std::string> text;
    int64_t version = 0;
  };
  Update Since(int64_t version) const;

  // All sections in their present state, each in an element <section id="...">.
  std::string Html() const;

 private:
  struct Shown {
    Section section;
    int64_t version = 0;  // version at which it got this html
  };
  std::string TextSince(int64_t version) const;

  mutable std::mutex mutex_;
  std::vector<std::vector<Shown>> groups_;
  int64_t version_ = 1;  // version of the empty board; not 0, so that each viewer gets a first event
  mutable Update last_;  // the last update made, and the version from which it leads
  mutable int64_t last_from_ = -1;
};

// A source of data, and why it does not answer, if so.
struct Source {
  std::string name;           // as users name it: a path or an address
  std::string trouble;        // one line; empty: it answers
  int64_t since_unix_ms = 0;  // start of the trouble
  bool is_awaited = false;    // it is a store that nothing has made yet
};

// The store's state ("store"), all runs ("overview"), each run ("run-ID") and the devices that measured ("devices").
std::vector<Section> StoreSections(const Source& source, const WatchedStore& store);

// The trials and knobs of each run's heaviest tasks ("trials-run-ID"). They are larger than the other sections and need
// not be as fresh.
std::vector<Section> TrialSections(const WatchedStore& store);

// The tracker's state ("fleet"), its waiting clients ("queues"), and the runners with their health ("runners"). Without
// a status, as before the first answer, only the first.
std::vector<Section> FleetSections(const Source& source, const std::optional<TrackerStatus>& status);

}  // namespace hone

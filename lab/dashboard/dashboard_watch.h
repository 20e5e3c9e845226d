// Watches a store and a tracker and keeps a board up to date.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "lab/dashboard/dashboard_sections.h"
#include "rpc_runner/keys/key_paths.h"

namespace hone {

struct DashboardSources {
  std::string db;       // a file or postgresql://...
  std::string tracker;  // tcp://HOST:PORT; empty: none
  ClientKeys keys = {};
};
// Groups of the board: problems come first.
constexpr size_t kProblemGroup = 0, kFleetGroup = 1, kStoreGroup = 2, kBoardGroups = 3;

// Each of the two has a thread, so neither waits for the other. The store is read every kTickNs, the tracker every
// second. If one does not answer, the board shows the reason and since when, and keeps the last state. The source is
// asked again until it answers. A store's file that was removed or replaced is such a case, and is opened anew.
class DashboardWatch {
 public:
  static constexpr int64_t kTickNs = 250'000'000;

  // `changed` is called from these threads after the board has changed.
  DashboardWatch(const DashboardSources& sources, std::shared_ptr<SectionBoard> board, std::function<void()> changed);
  // Calls Stop with the duration of a tick. A thread that still waits for its source then goes on by itself.
  ~DashboardWatch();
  DashboardWatch(const DashboardWatch&) = delete;
  DashboardWatch& operator=(const DashboardWatch&) = delete;

  // Returns whether both threads have ended. A server may keep one of them until the request times out. Then the
  // process must end by _exit, without destructors. `changed` is not called after this.
  bool Stop(int64_t within_ns);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace hone

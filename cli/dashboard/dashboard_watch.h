// Looks at a store and a tracker all the time and keeps a board up to date.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cli/dashboard/section_board.h"
#include "rpc_runner/keys/key_options.h"

namespace hone {

struct DashboardSources {
  std::string db;       // a file or postgresql://...
  std::string tracker;  // tcp://HOST:PORT; empty: none
  ClientKeys keys = {};
};
// Groups of the board.
constexpr size_t kStoreGroup = 0, kFleetGroup = 1, kBoardGroups = 2;

// A thread for each of the two: neither waits for the other. The store is looked at every kTickNs, the tracker every
// second. One that does not answer is told of on the board, with the reason and since when, and asked again until it
// does; what was known stays there. A store's file that was removed or replaced is such a case, and opened anew.
class DashboardWatch {
 public:
  static constexpr int64_t kTickNs = 250'000'000;

  // `changed` is called from the threads after the board has changed.
  DashboardWatch(const DashboardSources& sources, std::shared_ptr<SectionBoard> board, std::function<void()> changed);
  // As Stop with the time that a tick takes. What still waits for its source then goes on in threads of its own.
  ~DashboardWatch();
  DashboardWatch(const DashboardWatch&) = delete;
  DashboardWatch& operator=(const DashboardWatch&) = delete;

  // Whether both have ended: a server that is asked for an answer may keep one for as long as it takes to give up. Then
  // the process can only be left without going through its end (_exit). `changed` is not called any more.
  bool Stop(int64_t within_ns);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace hone

#include "lab/dashboard/dashboard_watch.h"

#include <sys/stat.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/text/printable.h"
#include "db/open_database.h"
#include "lab/dashboard/dashboard_sections.h"
#include "lab/dashboard/problems.h"
#include "lab/dashboard/tuning_watch.h"
#include "lab/records/records.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/tracker/ask_tracker.h"

namespace hone {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kWatchAnswerNs = 2 * kSecondNs;
constexpr int64_t kTrialsNs = 3 * kSecondNs;  // between two states of the trials
constexpr size_t kMostTroubleBytes = 500;

int64_t NowUnixMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The identity of the file at a path; all zeros for a store on a server, nullopt if there is no file.
using FileId = std::pair<dev_t, ino_t>;
std::optional<FileId> FileAt(const std::string& path) {
  struct stat found = {};
  if (IsServerStore(path)) return FileId{};
  if (stat(path.c_str(), &found) != 0) return std::nullopt;
  return FileId{found.st_dev, found.st_ino};
}

void Tell(Source& source, const std::string& trouble) {
  if (source.trouble.empty()) source.since_unix_ms = NowUnixMs();
  source.trouble = Shortened(trouble, kMostTroubleBytes);
}

}  // namespace

struct DashboardWatch::Shared {
  DashboardSources sources;
  std::shared_ptr<SectionBoard> board;
  std::function<void()> changed;

  std::mutex mutex;
  std::condition_variable awake;
  bool stopping = false;
  int running = 0;

  void Put(size_t group, std::vector<Section> sections) {
    if (!board->Put(group, std::move(sections))) return;
    const std::lock_guard lock(mutex);
    if (!stopping) changed();
  }
  // Returns false if the watch shall stop.
  bool Wait(int64_t ns) {
    std::unique_lock lock(mutex);
    return !awake.wait_for(lock, std::chrono::nanoseconds(ns), [this] { return stopping; });
  }
  void End() {
    const std::lock_guard lock(mutex);
    --running;
    awake.notify_all();
  }

  // The last state of both sources; one source's news may change what is said of the other.
  std::mutex known_mutex;
  Source store_source;
  WatchedStore told;
  WatchedFleet fleet;
  int64_t trials_shown_ns = 0;
  std::vector<Section> trials;

  void TellStore(const Source& source, const WatchedStore& known) {
    std::unique_lock lock(known_mutex);
    store_source = source;
    told = known;
    JudgeSilentRuns(fleet, told);
    if (trials.empty() || MonotonicNs() - trials_shown_ns > kTrialsNs) {
      trials = TrialSections(told);
      trials_shown_ns = MonotonicNs();
    }
    std::vector<Section> sections = StoreSections(source, told);
    sections.insert(sections.end(), trials.begin(), trials.end());
    const std::vector<std::string> problems = ProblemsOf(store_source, told, fleet);
    lock.unlock();
    Put(kStoreGroup, std::move(sections));
    Put(kProblemGroup, ProblemSections(problems));
  }
  void TellFleet(const WatchedFleet& known) {
    std::unique_lock lock(known_mutex);
    fleet = known;
    const std::vector<std::string> problems = ProblemsOf(store_source, told, fleet);
    lock.unlock();
    Put(kFleetGroup, FleetSections(known.source, known.status));
    Put(kProblemGroup, ProblemSections(problems));
  }

  // Returns when the watch shall stop; throws when the store does not answer.
  void FollowStore(Source& source, WatchedStore& known) {
    const std::optional<FileId> file = FileAt(source.name);
    const std::unique_ptr<RecordStore> store = OpenExistingStore(source.name);
    TuningWatch watch;
    for (bool is_behind = false; Wait(is_behind ? 0 : kTickNs);) {
      if (FileAt(source.name) != file) throw Error(ExitCode::kNoInput, "its file was removed or replaced");
      is_behind = !watch.Look(*store);
      known = watch.State(NowUnixMs());
      source.trouble.clear();
      TellStore(source, known);
    }
  }

  void WatchStore() {
    Source source{sources.db, "", 0};
    WatchedStore known;
    for (; !FileAt(source.name); source.is_awaited = false) {
      source.is_awaited = true;
      Put(kStoreGroup, StoreSections(source, known));
      if (!Wait(kTickNs)) return;
    }
    do {
      try {
        return FollowStore(source, known);
      } catch (const std::exception& error) {
        Tell(source, error.what());
        TellStore(source, known);
      }
    } while (Wait(kSecondNs));
  }

  void WatchFleet() {
    WatchedFleet known{{sources.tracker, "", 0}, {}};
    std::optional<TrackerConnection> connection;
    do {
      try {
        if (!connection) connection.emplace(sources.tracker, sources.keys);
        known.status = connection->Query(kWatchAnswerNs);
        known.source.trouble.clear();
      } catch (const std::exception& error) {
        connection.reset();
        Tell(known.source, error.what());
      }
      TellFleet(known);
    } while (Wait(kSecondNs));
  }
};

DashboardWatch::DashboardWatch(const DashboardSources& sources, std::shared_ptr<SectionBoard> board,
                               std::function<void()> changed)
    : shared_(std::make_shared<Shared>()) {
  shared_->sources = sources;
  shared_->board = std::move(board);
  shared_->changed = std::move(changed);
  shared_->running = sources.tracker.empty() ? 1 : 2;
  // Each thread owns what it works on, because it may outlive this object for as long as a server takes to answer.
  std::thread([shared = shared_] {
    shared->WatchStore();
    shared->End();
  }).detach();
  if (sources.tracker.empty()) return;
  std::thread([shared = shared_] {
    shared->WatchFleet();
    shared->End();
  }).detach();
}

bool DashboardWatch::Stop(int64_t within_ns) {
  std::unique_lock lock(shared_->mutex);
  shared_->stopping = true;
  shared_->awake.notify_all();
  return shared_->awake.wait_for(lock, std::chrono::nanoseconds(within_ns), [this] { return shared_->running == 0; });
}

DashboardWatch::~DashboardWatch() { Stop(kTickNs); }

}  // namespace hone

// The db room's door: where records are kept. Start here.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/fingerprint.h"
#include "db/claims.h"
#include "db/engine_facts.h"
#include "db/foreign_trial.h"
#include "db/record.h"
#include "db/trial_row.h"

namespace hone {

struct BestRow;

struct RecordQuery {
  std::string id{};                      // the first digits of the id; empty: any
  std::string workload{};                // exact text; empty: any
  std::vector<std::string> workloads{};  // any of these texts; empty: any
  std::string cpu{};                     // target cpu; empty: any
  std::string device{};                  // part of the machine's CPU model, host, key, label or short id; empty: any
  std::optional<Fate> fate{};
  std::optional<CacheMode> cache{};
  std::optional<int> threads{};
  std::string session{};
  int64_t since_unix_ms = 0;     // measured then or later; 0: any
  int64_t after = 0, until = 0;  // arrived later than the one, not later than the other, as Arrived() counts; 0: any
  int64_t limit = 0;             // 0: all
  bool by_time = false;          // order by least sample first (only records that have one), else by arrival
};

// One tuning run; its state makes resuming possible.
struct TuningRun {
  std::string id;     // content hash of what was asked: model, target, threads, strategy, seed, budget kind
  std::string state;  // "running", "done", "interrupted"
  std::string json;   // what was asked, for people and for replay
};

struct StoreStats {
  int64_t records = 0, ok = 0, workloads = 0, devices = 0, runs = 0, foreign = 0;
  std::vector<std::pair<Fate, int64_t>> fates;  // records of each that has any
  EngineFacts engine;
};

// A store in one SQLite file or on a PostgreSQL server; docs/formats.md describes both. Many processes may write at
// once. One object is used by one thread at a time and never across a fork. Reading throws Error(kBadData) when it
// meets damage.
class RecordStore {
 public:
  // `path` is a file's, or a server's address (postgresql://...). Creates the file and its folder, or the tables, when
  // `create`. Throws Error: kNoInput (absent and not create), kBadData (not a store, damaged, or of a newer version: it
  // is left as it was), kCannotCreate, kIo; of a server also kUsage (an address that cannot be read or holds a
  // password) and kNotAuthorised.
  static std::unique_ptr<RecordStore> Open(const std::string& path, bool create = true);
  virtual ~RecordStore() = default;

  // Durable when it returns. Known ids are passed over. Returns how many were new. A record without an id is finished;
  // one whose id is not its content's throws Error(kBug). Throws Error(kIo): what was then written of more than 4,096
  // records is a leading part.
  virtual int64_t Append(const std::vector<Record>& records) = 0;
  virtual std::vector<Record> Find(const RecordQuery& query) const = 0;
  // Grows with every record that is new, whoever appends it; 0 for an empty store.
  virtual int64_t Arrived() const = 0;
  virtual std::optional<Record> Get(const std::string& id) const = 0;
  // The ids of the records that arrived later than `after` and not later than `until`, in that order.
  virtual std::vector<std::string> Ids(int64_t after, int64_t until) const = 0;
  // How many of these, none twice, the store has. At most a few thousand.
  virtual int64_t CountKnown(const std::vector<std::string>& ids) const = 0;
  // The texts of all workloads that have records, in alphabetic order.
  virtual std::vector<std::string> Workloads() const = 0;

  // The records a build may use for a workload, best first: rank 0 was timed on exactly `machine` with the same
  // threads; 1 there at another thread count; 2 on the same microarchitecture (SameModel; where `machine` is not known,
  // on a CPU that LLVM calls as the target's, not emulated); 3 on any other. Within a rank those under emulation come
  // last, code for the target's CPU and features first, of these what had the same threads, then by least sample, but
  // what finals decided stands (worth_by_finals.h). Only fate Ok, not noisy, and one cache mode (cold-weights where a
  // rank has any), of no kernel that failed since (failed_since.h), none doubted since (doubted_since.h). In every rank
  // the record's architecture must be the target's and the features it requires (MachineModelFor) among the target's.
  // Limit 0 means all.
  struct Ranked {
    Record record;
    int rank = 0;
  };
  virtual std::vector<Ranked> Best(const std::string& workload, const Target& target, const Fingerprint& machine,
                                   int threads, int64_t limit = 8) const = 0;

  // Trials of other tuners: starting points that no other function here tells of. Durable when it returns; known ids
  // are passed over. Returns how many were new.
  virtual int64_t AppendForeign(const std::vector<ForeignTrial>& trials) = 0;
  // Of a workload's text, "" for all: those that worked, the fastest first, then those that failed.
  virtual std::vector<ForeignTrial> FindForeign(const std::string& workload, int64_t limit = 0) const = 0;

  // What others that use this store are told this process is busy with.
  virtual Claims& claims() = 0;

  virtual void PutRun(const TuningRun& run) = 0;
  virtual std::optional<TuningRun> GetRun(const std::string& id) const = 0;
  virtual std::vector<TuningRun> Runs() const = 0;
  virtual StoreStats Stats() const = 0;

  // All records of a workload as a lookup sees them (best_lookup.h), in the order of arrival. A store that keeps their
  // keys apart need not read the records.
  virtual std::vector<BestRow> Rows(const std::string& workload) const;
  // Calls `visit` with the keys of each record that fits, in the query's order; the row is its own until it returns.
  // Much quicker than Find: a million records take seconds and no memory.
  virtual void EachTrial(const RecordQuery& query, const std::function<void(const TrialRow& row)>& visit) const;
  // The same with each record whole: no more than one is held.
  virtual void EachRecord(const RecordQuery& query, const std::function<void(const Record& record)>& visit) const;
  // The same with each record's canonical text (RecordText::json), which is its own until `visit` returns.
  virtual void EachText(const RecordQuery& query, const std::function<void(const std::string& json)>& visit) const;
};

// $HONE_DB, else $XDG_DATA_HOME/hone/records.db, else ~/.local/share/hone/records.db. Throws Error(kBadConfig) when
// none of them is set.
std::string DefaultStorePath();

}  // namespace hone

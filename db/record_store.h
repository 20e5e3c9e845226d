// The entry of the db room: the store of records. Start here.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/machine/fingerprint.h"
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
  int64_t since_unix_ms = 0;     // measured at this time or later; 0: any
  int64_t after = 0, until = 0;  // arrived later than `after` and not later than `until`, as Arrived() counts; 0: any
  int64_t limit = 0;             // 0: all
  bool by_time = false;          // order by least sample (only records that have one), else by arrival
};

// One tuning run; its state makes resuming possible.
struct TuningRun {
  std::string id;     // content hash of the request without its budget (tuner/tuner.h)
  std::string state;  // "running", "done", "interrupted"
  std::string json;   // the request, for people and for replay
};

struct StoreStats {
  int64_t records = 0, ok = 0, workloads = 0, devices = 0, runs = 0, foreign = 0;
  std::vector<std::pair<Fate, int64_t>> fates;  // number of records of each fate that occurs
  EngineFacts engine;
};

// A store in one SQLite file or on a PostgreSQL server; docs/reference/formats.md describes both. Many processes may
// write at once. One object is used by one thread at a time and never across a fork. Reading throws Error(kBadData) at
// damage.
class RecordStore {
 public:
  // The number of records that one transaction writes. It waits for the disk once, and other writers wait half a second
  // for it. A batch's ids are spread over their index: a larger batch writes fewer pages per id.
  static constexpr size_t kAppendBatch = 16'384;

  // `path` is a file's, or a server's address (postgresql://...). Creates the file and its folder, or the tables, when
  // `create`. Throws Error: kNoInput (absent and not `create`), kBadData (not a store, damaged, or of a newer version;
  // it stays unchanged), kCannotCreate, kIo. For a server also kUsage (an address that cannot be read or contains a
  // password) and kNotAuthorised.
  static std::unique_ptr<RecordStore> Open(const std::string& path, bool create = true);
  virtual ~RecordStore() = default;

  // Durable when it returns. Known ids are ignored. Returns the number of new records. A record without an id is
  // finished; one whose id is not its content's throws Error(kBug). If it throws Error(kIo) for more than
  // kAppendBatch records, the leading batches of that size may have been written.
  virtual int64_t Append(const std::vector<Record>& records) = 0;
  virtual std::vector<Record> Find(const RecordQuery& query) const = 0;
  // Grows with every new record of any writer; 0 for an empty store.
  virtual int64_t Arrived() const = 0;
  virtual std::optional<Record> Get(const std::string& id) const = 0;
  // The ids of the records that arrived later than `after` and not later than `until`, in that order.
  virtual std::vector<std::string> Ids(int64_t after, int64_t until) const = 0;
  // The number of these ids, which must be distinct, that the store has. At most a few thousand.
  virtual int64_t CountKnown(const std::vector<std::string>& ids) const = 0;
  // The texts of all workloads that have records, in alphabetic order.
  virtual std::vector<std::string> Workloads() const = 0;

  // The records a build may use for a workload, best first. Rank 0 was timed on exactly `machine` with the same
  // threads, rank 1 there with other threads. Rank 2 was timed on the same microarchitecture: SameModel, or, if
  // `machine` is not known, a CPU with the target's name in LLVM, not emulated. Rank 3 is any other machine.
  //
  // Within a rank, emulated records come last, and code for the target's CPU and features first. Of these, records
  // with the same threads come first, then the order is by least sample, except that results of finals stand
  // (row_verdicts.h).
  //
  // Only records with fate Ok that are not noisy are returned, in one cache mode (cold-weights if a rank has any).
  // Their kernel did not fail since (row_verdicts.h), and they were not doubted since. In every rank
  // the record's architecture must be the target's, and its required features (MachineModelFor) among the target's.
  // Limit 0 means all.
  struct Ranked {
    Record record;
    int rank = 0;
  };
  virtual std::vector<Ranked> Best(const std::string& workload, const Target& target, const Fingerprint& machine,
                                   int threads, int64_t limit = 8) const = 0;

  // Trials of other tuners: starting points that no other function here returns. Durable when it returns; known ids
  // are ignored. Returns the number of new trials.
  virtual int64_t AppendForeign(const std::vector<ForeignTrial>& trials) = 0;
  // Finds by a workload's text, "" for all. Successful trials come first, the fastest first, then failed ones.
  virtual std::vector<ForeignTrial> FindForeign(const std::string& workload, int64_t limit = 0) const = 0;

  // The work of this process, announced to others that use this store.
  virtual Claims& claims() = 0;

  virtual void PutRun(const TuningRun& run) = 0;
  virtual std::optional<TuningRun> GetRun(const std::string& id) const = 0;
  virtual std::vector<TuningRun> Runs() const = 0;
  virtual StoreStats Stats() const = 0;

  // All records of a workload as a lookup sees them (best_lookup.h), in the order of arrival. A store that keeps their
  // keys separately need not read the records.
  virtual std::vector<BestRow> Rows(const std::string& workload) const;
  // Calls `visit` with the keys of each matching record, in the query's order. The row is valid until `visit` returns.
  // Much faster than Find: a million records take seconds and no memory.
  virtual void EachTrial(const RecordQuery& query, const std::function<void(const TrialRow& row)>& visit) const;
  // Calls `visit` with each whole record; no more than one is in memory.
  virtual void EachRecord(const RecordQuery& query, const std::function<void(const Record& record)>& visit) const;
  // Calls `visit` with each record's canonical text (RecordText::json), valid until `visit` returns.
  virtual void EachText(const RecordQuery& query, const std::function<void(const std::string& json)>& visit) const;
};

// $HONE_DB, else $XDG_DATA_HOME/hone/records.db, else ~/.local/share/hone/records.db. Throws Error(kBadConfig) when
// none of them is set.
std::string DefaultStorePath();

}  // namespace hone

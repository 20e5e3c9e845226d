#include "db/record_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/error.h"
#include "core/failure.h"
#include "db/open_database.h"
#include "db/record_log.h"
#include "db/store_tables.h"
#include "db/verdicts/best_lookup.h"

namespace hone {
namespace {

// The columns of the index records_by_workload in its order, so that the query reads no records.
constexpr const char* kBestColumns =
    "seq, setup, fate, noisy, min_ns, held, place, schedule_version, id, session, schedule, config";

constexpr size_t kUsualCandidateBytes = 127, kUsualRows = 1024;

// `id` is a buffer for one id, used again for each row.
BestRow ReadBestRow(const Statement& statement, std::string& id) {
  BestRow row;
  row.seq = statement.Integer(0);
  row.fate = static_cast<Fate>(statement.Integer(2));
  row.noisy = statement.Integer(3) != 0;
  row.min_ns = statement.Integer(4);
  row.held = static_cast<int>(statement.Integer(5));
  row.place = static_cast<int>(statement.Integer(6));
  row.schedule_version = static_cast<int>(statement.Integer(7));
  id.clear();
  statement.AppendText(8, id);
  row.id = RecordId(id);
  row.session = statement.Text(9);
  row.candidate.reserve(kUsualCandidateBytes);
  statement.AppendText(10, row.candidate);
  row.candidate += ' ';
  statement.AppendText(11, row.candidate);
  return row;
}

class TableStore : public RecordStore {
 public:
  explicit TableStore(Database database)
      : database_(std::make_unique<Database>(std::move(database))),
        setups_(std::make_unique<SetupTable>(*database_)),
        claims_(database_->MakeClaims()) {}

  int64_t Append(const std::vector<Record>& records) override {
    int64_t fresh = 0;
    for (size_t begin = 0; begin < records.size(); begin += kAppendBatch) {
      fresh += AppendBatch(records, begin, std::min(begin + kAppendBatch, records.size()));
    }
    return fresh;
  }

  std::vector<Record> Find(const RecordQuery& query) const override {
    std::vector<Record> records;
    Statement statement = SelectRecords(*database_, query);
    while (statement.Step()) records.push_back(RecordFromColumn(statement, 0));
    return records;
  }

  void EachTrial(const RecordQuery& query, const std::function<void(const TrialRow& row)>& visit) const override {
    TrialRow row;
    Statement statement = SelectTrialRows(*database_, query);
    while (statement.Step()) {
      ReadTrialRow(statement, row);
      visit(row);
    }
  }

  void EachRecord(const RecordQuery& query, const std::function<void(const Record& record)>& visit) const override {
    Statement statement = SelectRecords(*database_, query);
    while (statement.Step()) visit(RecordFromColumn(statement, 0));
  }

  void EachText(const RecordQuery& query, const std::function<void(const std::string& json)>& visit) const override {
    Statement statement = SelectRecords(*database_, query);
    while (statement.Step()) {
      const std::string json = statement.Text(0);
      visit(ProvesItself(json) ? json : TextOfRecord(RecordFromColumn(statement, 0)).json);
    }
  }

  int64_t Arrived() const override { return database_->Integer("SELECT max(seq) FROM records"); }

  Claims& claims() override { return *claims_; }

  std::optional<Record> Get(const std::string& id) const override {
    Statement statement(*database_, "SELECT json FROM records WHERE id = ?");
    statement.Bind(1, id);
    if (!statement.Step()) return std::nullopt;
    return RecordFromColumn(statement, 0);
  }

  std::vector<std::string> Ids(int64_t after, int64_t until) const override {
    std::vector<std::string> ids;
    Statement statement(*database_, "SELECT id FROM records WHERE seq > ? AND seq <= ? ORDER BY seq");
    statement.Bind({after, until});
    while (statement.Step()) ids.push_back(statement.Text(0));
    return ids;
  }

  int64_t CountKnown(const std::vector<std::string>& ids) const override {
    if (ids.empty()) return 0;
    const std::vector<std::string_view> places(ids.size(), "?");
    Statement statement(*database_,
                        fmt::format("SELECT count(*) FROM records WHERE id IN ({})", fmt::join(places, ",")));
    statement.Bind(SqlRow(ids.begin(), ids.end()));
    return statement.Step() ? statement.Integer(0) : 0;
  }

  std::vector<std::string> Workloads() const override {
    std::vector<std::string> workloads;
    // Steps from one workload to the next by the index; DISTINCT would read every record's entry.
    Statement statement(*database_,
                        "WITH RECURSIVE of(name) AS (SELECT min(workload) FROM records UNION ALL "
                        "SELECT (SELECT min(workload) FROM records WHERE workload > name) FROM of "
                        "WHERE name IS NOT NULL) SELECT name FROM of WHERE name IS NOT NULL ORDER BY name");
    while (statement.Step()) workloads.push_back(statement.Text(0));
    return workloads;
  }

  std::vector<Ranked> Best(const std::string& workload, const Target& target, const Fingerprint& machine, int threads,
                           int64_t limit) const override {
    std::vector<Ranked> ranked;
    Statement statement(*database_, "SELECT json FROM records WHERE seq = ?");
    for (const BestRow& row : RankRecords(Rows(workload), {target, machine, threads})) {
      if (limit > 0 && static_cast<int64_t>(ranked.size()) == limit) break;
      statement.Reset();
      statement.Bind(1, row.seq);
      if (statement.Step()) ranked.push_back({RecordFromColumn(statement, 0), row.rank});
    }
    return ranked;
  }

  std::vector<BestRow> Rows(const std::string& workload) const override {
    std::vector<BestRow> rows;
    Statement statement(*database_,
                        fmt::format("SELECT {} FROM records WHERE workload = ? ORDER BY seq", kBestColumns));
    statement.Bind(1, workload);
    rows.reserve(kUsualRows);
    const SetupTable::Known* known = nullptr;
    std::string id;
    for (int64_t last = 0; statement.Step();) {
      rows.push_back(ReadBestRow(statement, id));
      const int64_t number = statement.Integer(1);
      if (number != last) known = number > 0 ? setups_->Find(number) : nullptr;
      last = number;
      SetSetup(known, rows.back());
    }
    MarkBlames(workload, rows);
    return rows;
  }

  int64_t AppendForeign(const std::vector<ForeignTrial>& trials) override {
    return trials.empty() ? 0 : InsertForeign(*database_, trials);
  }

  std::vector<ForeignTrial> FindForeign(const std::string& workload, int64_t limit) const override {
    std::vector<ForeignTrial> trials;
    Statement statement = SelectForeign(*database_, workload, limit);
    while (statement.Step()) trials.push_back(ReadForeign(statement));
    return trials;
  }

  void PutRun(const TuningRun& run) override {
    Transaction transaction(*database_);
    Statement statement(*database_,
                        "INSERT INTO runs(id, state, json) VALUES(?,?,?) "
                        "ON CONFLICT(id) DO UPDATE SET state = excluded.state, json = excluded.json");
    statement.Bind(1, run.id);
    statement.Bind(2, run.state);
    statement.Bind(3, run.json);
    statement.Step();
    transaction.Commit();
  }

  std::optional<TuningRun> GetRun(const std::string& id) const override {
    Statement statement(*database_, "SELECT id, state, json FROM runs WHERE id = ?");
    statement.Bind(1, id);
    if (!statement.Step()) return std::nullopt;
    return TuningRun{statement.Text(0), statement.Text(1), statement.Text(2)};
  }

  std::vector<TuningRun> Runs() const override {
    std::vector<TuningRun> runs;
    Statement statement(*database_, "SELECT id, state, json FROM runs ORDER BY rowid");
    while (statement.Step()) runs.push_back({statement.Text(0), statement.Text(1), statement.Text(2)});
    return runs;
  }

  StoreStats Stats() const override {
    StoreStats stats;
    stats.records = database_->Integer("SELECT count(*) FROM records");
    stats.ok = database_->Integer("SELECT count(*) FROM records WHERE fate = 0");
    stats.workloads = database_->Integer("SELECT count(DISTINCT workload) FROM records");
    stats.devices = database_->Integer(
        "SELECT count(DISTINCT CASE WHEN fingerprint = '' THEN cpu_model ELSE fingerprint END) FROM records");
    stats.runs = database_->Integer("SELECT count(*) FROM runs");
    stats.foreign = database_->Integer("SELECT count(*) FROM foreign_trials");
    Statement fates(*database_, "SELECT fate, count(*) FROM records GROUP BY fate ORDER BY fate");
    while (fates.Step()) stats.fates.emplace_back(static_cast<Fate>(fates.Integer(0)), fates.Integer(1));
    stats.engine = database_->Facts();
    return stats;
  }

 private:
  // A record has no known setup if a hone without setups wrote it during the store's upgrade. Its own text is read
  // then.
  void SetSetup(const SetupTable::Known* known, BestRow& row) const {
    if (known != nullptr) {
      row.setup = known->setup;
      row.llvm_cpu = known->llvm_cpu;
    } else if (const std::optional<Record> record = Get(row.id.text())) {
      row = BestRowOf(*record, row.seq);
    }
  }

  // Messages are only in the records' texts. They are read only if a row's fate may be the machine's.
  void MarkBlames(const std::string& workload, std::vector<BestRow>& rows) const {
    const bool any = std::any_of(rows.begin(), rows.end(), [](const BestRow& row) {
      return std::find(kFatesThatMayBlame.begin(), kFatesThatMayBlame.end(), row.fate) != kFatesThatMayBlame.end();
    });
    if (!any) return;
    auto row = rows.begin();
    EachBlameForMachine(*database_, workload, [&](int64_t seq, const std::string& /*message*/) {
      row = std::lower_bound(row, rows.end(), seq, [](const BestRow& each, int64_t at) { return each.seq < at; });
      if (row != rows.end() && row->seq == seq) row->blames_for_machine = true;
    });
  }

  int64_t AppendBatch(const std::vector<Record>& records, size_t begin, size_t end) {
    RecordRows rows(records, begin, end);
    Transaction transaction(*database_);
    try {
      const int64_t fresh = rows.Insert(*database_, *setups_);
      transaction.Commit();
      return fresh;
    } catch (...) {
      setups_->Forget();
      throw;
    }
  }

  std::unique_ptr<Database> database_;
  std::unique_ptr<SetupTable> setups_;
  std::unique_ptr<Claims> claims_;
};

}  // namespace

std::vector<BestRow> RecordStore::Rows(const std::string& workload) const {
  RecordQuery query;
  query.workload = workload;
  std::vector<BestRow> rows;
  for (const Record& record : Find(query)) rows.push_back(BestRowOf(record, static_cast<int64_t>(rows.size()) + 1));
  return rows;
}

void RecordStore::EachTrial(const RecordQuery& query, const std::function<void(const TrialRow& row)>& visit) const {
  int64_t seq = 0;
  for (const Record& record : Find(query)) visit(TrialRowOf(record, ++seq));
}

void RecordStore::EachRecord(const RecordQuery& query, const std::function<void(const Record& record)>& visit) const {
  for (const Record& record : Find(query)) visit(record);
}

void RecordStore::EachText(const RecordQuery& query, const std::function<void(const std::string& json)>& visit) const {
  for (const Record& record : Find(query)) visit(TextOfRecord(record).json);
}

std::unique_ptr<RecordStore> RecordStore::Open(const std::string& path, bool create) {
  return std::make_unique<TableStore>(OpenDatabase(path, create));
}

std::string DefaultStorePath() {
  const char* store = std::getenv("HONE_DB");
  if (store != nullptr && store[0] != '\0') return store;
  const char* data = std::getenv("XDG_DATA_HOME");
  // The base directory specification says that relative paths are ignored.
  if (data != nullptr && data[0] == '/') return std::string(data) + "/hone/records.db";
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') {
    throw Error(ExitCode::kBadConfig,
                "none of HONE_DB, XDG_DATA_HOME and HOME says where the record store is; give it with --db");
  }
  return std::string(home) + "/.local/share/hone/records.db";
}

}  // namespace hone

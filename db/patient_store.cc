#include "db/patient_store.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/error.h"
#include "db/verdicts/best_lookup.h"

namespace hone {
namespace {

// Repeats a call that fails with Error(kIo) until the patience is over.
class Retry {
 public:
  explicit Retry(const Patience& patience) : patience_(patience) {}

  // A repeated Append of many batches goes on where it failed: the store knows the batches that went through, and they
  // are not counted again.
  template <typename Call>
  auto Patiently(const Call& call) const -> decltype(call()) {
    const int64_t begin_ns = patience_.now_ns();
    for (bool waited = false;; waited = true) {
      try {
        auto result = call();
        if (waited) patience_.tell("the store can be used again");
        return result;
      } catch (const Error& error) {
        const bool hopeless = error.code() != ExitCode::kIo || patience_.now_ns() - begin_ns >= patience_.for_ns;
        if (hopeless || (patience_.hurried && patience_.hurried())) throw;
        if (!waited) TellOf(error);
      }
      patience_.sleep(patience_.pause_ns);
    }
  }

 private:
  void TellOf(const Error& error) const {
    patience_.tell(fmt::format("{}; what was measured is kept in memory, and for {} s it is tried again", error.what(),
                               patience_.for_ns / 1'000'000'000));
  }

  Patience patience_;
};

class PatientClaims : public Claims {
 public:
  PatientClaims(Claims& claims, const Retry& retry) : claims_(claims), retry_(retry) {}
  bool Take(std::string_view what) override {
    return retry_.Patiently([&] { return claims_.Take(what); });
  }
  void Release(std::string_view what) override { claims_.Release(what); }

 private:
  Claims& claims_;
  const Retry& retry_;
};

class PatientStore : public RecordStore {
 public:
  PatientStore(std::unique_ptr<RecordStore> store, const Patience& patience)
      : store_(std::move(store)), retry_(patience) {}

  int64_t Append(const std::vector<Record>& records) override {
    return Patiently([&] { return store_->Append(records); });
  }
  std::vector<Record> Find(const RecordQuery& query) const override {
    return Patiently([&] { return store_->Find(query); });
  }
  int64_t Arrived() const override {
    return Patiently([&] { return store_->Arrived(); });
  }
  std::optional<Record> Get(const std::string& id) const override {
    return Patiently([&] { return store_->Get(id); });
  }
  std::vector<std::string> Ids(int64_t after, int64_t until) const override {
    return Patiently([&] { return store_->Ids(after, until); });
  }
  int64_t CountKnown(const std::vector<std::string>& ids) const override {
    return Patiently([&] { return store_->CountKnown(ids); });
  }
  std::vector<BestRow> Rows(const std::string& workload) const override {
    return Patiently([&] { return store_->Rows(workload); });
  }
  // Not repeated, because a row that was visited would be visited again.
  void EachTrial(const RecordQuery& query, const std::function<void(const TrialRow& row)>& visit) const override {
    store_->EachTrial(query, visit);
  }
  // Not repeated, for the same reason.
  void EachText(const RecordQuery& query, const std::function<void(const std::string& json)>& visit) const override {
    store_->EachText(query, visit);
  }
  std::vector<std::string> Workloads() const override {
    return Patiently([&] { return store_->Workloads(); });
  }
  std::vector<Ranked> Best(const std::string& workload, const Target& target, const Fingerprint& machine, int threads,
                           int64_t limit) const override {
    return Patiently([&] { return store_->Best(workload, target, machine, threads, limit); });
  }
  int64_t AppendForeign(const std::vector<ForeignTrial>& trials) override {
    return Patiently([&] { return store_->AppendForeign(trials); });
  }
  std::vector<ForeignTrial> FindForeign(const std::string& workload, int64_t limit) const override {
    return Patiently([&] { return store_->FindForeign(workload, limit); });
  }
  Claims& claims() override { return claims_; }
  void PutRun(const TuningRun& run) override {
    Patiently([&] { return store_->PutRun(run), 0; });
  }
  std::optional<TuningRun> GetRun(const std::string& id) const override {
    return Patiently([&] { return store_->GetRun(id); });
  }
  std::vector<TuningRun> Runs() const override {
    return Patiently([&] { return store_->Runs(); });
  }
  StoreStats Stats() const override {
    return Patiently([&] { return store_->Stats(); });
  }

 private:
  template <typename Call>
  auto Patiently(const Call& call) const -> decltype(call()) {
    return retry_.Patiently(call);
  }

  std::unique_ptr<RecordStore> store_;
  Retry retry_;
  PatientClaims claims_{store_->claims(), retry_};
};

}  // namespace

std::unique_ptr<RecordStore> MakePatient(std::unique_ptr<RecordStore> store, const Patience& patience) {
  return std::make_unique<PatientStore>(std::move(store), patience);
}

}  // namespace hone

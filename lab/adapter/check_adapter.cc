#include "lab/adapter/check_adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "core/error.h"
#include "core/stats/statistics.h"
#include "lab/text/number_text.h"
#include "lab/text/table.h"

namespace hone {
namespace {

constexpr int kTurns = 20;

[[noreturn]] void Fault(const std::string& text) { throw Error(ExitCode::kAnswerIsNo, text); }

std::string OutputsFound(Adapter& adapter, JudgedModel& model) {
  adapter.Run(1);
  const JudgedOutputs judged = model.Judge(adapter);
  if (judged.finding != JudgedOutputs::Finding::kAgree) Fault(judged.why);
  return fmt::format("within {:.1e} of the float64 reference", judged.error);
}

class AdapterChecks {
 public:
  AdapterChecks(const AdapterCommand& command, int64_t answer_ns, int threads, JudgedModel& model, JudgedModel& other)
      : command_(command), answer_ns_(answer_ns), threads_(threads), model_(model), other_(other) {}

  std::vector<AdapterCheck> Run() {
    Check("hello", [&] {
      adapter_ = std::make_unique<Adapter>(command_, answer_ns_, CpusForThreads(threads_));
      return adapter_->title();
    });
    Check("load", [&] {
      adapter_->Use(model_.path(), threads_, model_.AdapterInputs());
      adapter_->LoadAnew();
      return "in " + adapter_->precision();
    });
    Check("outputs", [&] { return OutputsFound(*adapter_, model_); });
    Check("numbers of runs", [&] {
      for (const int64_t runs : {0, 1, 7}) adapter_->Run(runs);
      return std::string("0, 1 and 7");
    });
    Check("told times", [&] { return TimesText(); });
    Check("other inputs", [&] {
      adapter_->Use(other_.path(), threads_, other_.AdapterInputs());
      adapter_->LoadAnew();
      return OutputsFound(*adapter_, other_);
    });
    Check("memory", [&] { return BytesText(adapter_->MemoryBytes()); });
    Check("a missing model", [&] { return MissingModelText(); });
    Check("an unknown request", [&] {
      if (!adapter_->RefusesNonsense()) Fault("is not answered by an error");
      return std::string("is answered by an error");
    });
    Check("bye", [&] {
      if (!adapter_->Bye()) Fault("it does not end with exit code 0 within 10 s, or leaves programs behind");
      return std::string("ends, and leaves no program behind");
    });
    return std::move(checks_);
  }

 private:
  void Check(const std::string& what, const std::function<std::string()>& check) {
    checks_.push_back({what, AdapterCheck::Finding::kNotReached, ended_ ? "the adapter has ended" : ""});
    if (ended_) return;
    try {
      checks_.back().text = check();
      checks_.back().finding = AdapterCheck::Finding::kOk;
    } catch (const Error& e) {
      checks_.back().text = e.what();
      checks_.back().finding = AdapterCheck::Finding::kFault;
      ended_ = adapter_ == nullptr || adapter_->ended();
    }
  }

  std::string TimesText() {
    adapter_->RequireFilledTimes();
    std::vector<int64_t> times_ns;
    for (int turn = 0; turn < kTurns; ++turn) times_ns.push_back(adapter_->Run(1).at(0));
    adapter_->RequireFilledTurns();
    return fmt::format("{} in the median; they fill the time outside", TimeText(StatisticsOf(times_ns).median_ns));
  }

  std::string MissingModelText() {
    adapter_->Use(model_.path() + ".missing.onnx", threads_, model_.AdapterInputs());
    try {
      adapter_->LoadAnew();
    } catch (const Error&) {
      if (adapter_->ended()) throw;
      return "is answered by an error";
    }
    Fault("is not answered by an error");
  }

  const AdapterCommand& command_;
  const int64_t answer_ns_;
  const int threads_;
  JudgedModel &model_, &other_;
  std::unique_ptr<Adapter> adapter_;
  bool ended_ = false;
  std::vector<AdapterCheck> checks_;
};

std::string FindingText(AdapterCheck::Finding finding) {
  if (finding == AdapterCheck::Finding::kNotReached) return "not reached";
  return finding == AdapterCheck::Finding::kOk ? "ok" : "FAULT";
}

}  // namespace

std::vector<AdapterCheck> CheckAdapter(const AdapterCommand& command, int64_t answer_ns, int threads,
                                       JudgedModel& model, JudgedModel& other_inputs) {
  return AdapterChecks(command, answer_ns, threads, model, other_inputs).Run();
}

bool IsSound(const std::vector<AdapterCheck>& checks) {
  return std::all_of(checks.begin(), checks.end(),
                     [](const AdapterCheck& check) { return check.finding == AdapterCheck::Finding::kOk; });
}

std::string ToText(const std::vector<AdapterCheck>& checks) {
  Table table({"check", "finding", "what was found"});
  for (const AdapterCheck& check : checks) table.Add({check.what, FindingText(check.finding), check.text});
  return table.ToText();
}

Json ToJson(const std::vector<AdapterCheck>& checks) {
  Json list = Json::array();
  for (const AdapterCheck& check : checks) {
    list.push_back({{"check", check.what}, {"finding", FindingText(check.finding)}, {"text", check.text}});
  }
  return list;
}

}  // namespace hone

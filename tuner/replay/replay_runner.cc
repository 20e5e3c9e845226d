#include "tuner/replay/replay_runner.h"

#include <algorithm>

#include "core/error.h"

namespace hone {
namespace {

// A name that does not depend on the order of the knobs.
std::string NameOf(const Candidate& candidate) {
  auto values = candidate.config.values();
  std::sort(values.begin(), values.end());
  return candidate.workload.ToText() + "\n" + candidate.schedule + "\n" + Config(std::move(values)).ToText();
}

}  // namespace

ReplayRunner::ReplayRunner(const std::vector<Record>& records) {
  for (const Record& record : records) {
    answers_[NameOf(record.candidate)][record.timing.min_samples].push_back(
        {record.measurement, record.artifact_sha256});
    if (environment_.cpu_model.empty()) environment_ = record.measurement.environment;
  }
  if (answers_.empty()) {
    throw Error(ExitCode::kNoRunner,
                "the recording holds no trial of this target, thread count and cache mode; `hone log list` shows it");
  }
}

std::variant<Artifact, Rejection> ReplayRunner::Compile(const Candidate& candidate) {
  Artifact artifact;
  artifact.elf = NameOf(candidate);
  const auto known = answers_.find(artifact.elf);
  if (known == answers_.end()) return artifact;
  const Answer& next = known->second.begin()->second.front();
  if (next.artifact_sha256.empty()) return Rejection{next.measurement.fate, next.measurement.message};
  artifact.object_sha256 = next.artifact_sha256;
  return artifact;
}

JobId ReplayRunner::Submit(KernelJob job) {
  queue_.push_back({next_, std::move(job.artifact.elf), job.timing.min_samples});
  return next_++;
}

bool ReplayRunner::Wait(int64_t, JobResult* result) {
  if (queue_.empty()) return false;
  const Asked asked = std::move(queue_.front());
  queue_.pop_front();
  *result = {asked.id, {}};
  const auto known = answers_.find(asked.name);
  if (known == answers_.end() || !known->second.contains(asked.samples)) {
    result->measurement.fate = Fate::kCancelled;
    result->measurement.message = "it is not in the recording";
    result->measurement.environment = environment_;
    now_ns_ += kUnknownNs;
    return true;
  }
  std::deque<Answer>& answers = known->second[asked.samples];
  result->measurement = answers.front().measurement;
  if (answers.size() > 1) answers.pop_front();
  now_ns_ += result->measurement.wall_ns;
  return true;
}

TuneTools ReplayTools(ReplayRunner& runner) {
  TuneTools tools;
  tools.compile = [&runner](const Candidate& candidate) { return runner.Compile(candidate); };
  tools.reference = [](const Workload&, const Target&) { return Artifact{}; };
  tools.now_ns = [&runner] { return runner.now_ns(); };
  tools.unix_ms = [&runner] { return runner.now_ns() / 1'000'000; };
  tools.sleep = [&runner](int64_t ns) { runner.Sleep(ns); };
  return tools;
}

}  // namespace hone

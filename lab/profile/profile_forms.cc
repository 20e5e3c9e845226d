#include <fmt/format.h>

#include <algorithm>

#include "core/nth.h"
#include "core/text/printable.h"
#include "lab/profile/profile.h"

namespace hone {
namespace {

constexpr int kRunsTrack = 1, kCallsTrack = 2, kFirstWorkerTrack = 3;

const Dispatch& DispatchOf(const Plan& plan, const ProfiledCall& call) {
  return Nth(plan.kernels, call.kernel).dispatch;
}

double PerNs(double amount, int64_t ns) { return ns > 0 ? amount / static_cast<double>(ns) : 0; }

// Traces count in microseconds.
double Microseconds(int64_t ns) { return static_cast<double>(ns) / 1000; }

Json NameEvent(const char* what, int track, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", 1}, {"tid", track}, {"args", {{"name", name}}}};
}

Json Slice(const std::string& name, const std::string& category, int track, int64_t begin_ns, int64_t ns, Json args) {
  return {{"name", name},
          {"cat", category},
          {"ph", "X"},
          {"ts", Microseconds(begin_ns)},
          {"dur", Microseconds(ns)},
          {"pid", 1},
          {"tid", track},
          {"args", std::move(args)}};
}

void AddRun(const Profile& profile, size_t index, Json& events) {
  const Plan& plan = profile.package->plan();
  const ProfiledRun& run = profile.runs[index];
  int64_t at = run.begin_ns;
  for (const ProfiledCall& call : profile.calls) {
    const int64_t ns = run.call_ns[call.call];
    if (!run.call_begin_ns.empty()) at = run.call_begin_ns[call.call];
    const Dispatch& d = DispatchOf(plan, call);
    events.push_back(Slice(call.node, plan.calls[call.call].op, kCallsTrack, at, ns,
                           {{"nodes", plan.calls[call.call].nodes},
                            {"schedule", d.schedule},
                            {"config", d.config},
                            {"gflops", PerNs(call.flops, ns)},
                            {"bytes", call.bytes}}));
    at += ns;
  }
  events.push_back(
      Slice(fmt::format("run {}", index), "run", kRunsTrack, run.begin_ns, at - run.begin_ns, Json::object()));
}

void AddWork(const Profile& profile, const ProfiledRun& run, Json& events) {
  const Plan& plan = profile.package->plan();
  for (const Session::Trace::Slice& slice : run.work) {
    events.push_back(Slice(profile.calls[slice.call].node, plan.calls[slice.call].op, kFirstWorkerTrack + slice.worker,
                           slice.begin_ns, slice.end_ns - slice.begin_ns, {{"stage", slice.stage}}));
  }
}

// A frame of a folded stack. It contains no ';', which separates frames, and no blanks, because the last blank precedes
// the number.
std::string StackFrame(const std::string& name) {
  std::string frame = Printable(name);
  std::replace(frame.begin(), frame.end(), ';', ',');
  std::replace(frame.begin(), frame.end(), ' ', '_');
  return frame;
}

}  // namespace

Json ChromeTrace(const Profile& profile) {
  Json events = Json::array();
  events.push_back(NameEvent("process_name", kRunsTrack, "hone " + profile.path));
  events.push_back(NameEvent("thread_name", kRunsTrack, "runs"));
  events.push_back(
      NameEvent("thread_name", kCallsTrack, fmt::format("calls, {} each", Counted(profile.threads, "thread"))));
  for (int worker = 0; worker < profile.threads; ++worker) {
    events.push_back(NameEvent("thread_name", kFirstWorkerTrack + worker, fmt::format("worker {}", worker)));
  }
  for (size_t i = 0; i < profile.runs.size(); ++i) {
    AddRun(profile, i, events);
    AddWork(profile, profile.runs[i], events);
  }
  return {{"displayTimeUnit", "ns"},
          {"traceEvents", events},
          {"otherData", {{"package", profile.path}, {"model", profile.package->plan().model}}}};
}

std::string FoldedStacks(const Profile& profile) {
  const Plan& plan = profile.package->plan();
  std::string text;
  for (const ProfiledCall& call : profile.calls) {
    text += fmt::format("{};{};{} {}\n", StackFrame(profile.path), StackFrame(plan.calls[call.call].op),
                        StackFrame(call.node), call.ns);
  }
  return text;
}

Json ToJson(const Profile& profile) {
  const Plan& plan = profile.package->plan();
  Json calls = Json::array();
  for (const ProfiledCall& call : profile.calls) {
    const PlanCall& of = plan.calls[call.call];
    const Dispatch& d = DispatchOf(plan, call);
    calls.push_back({{"op", of.op},
                     {"nodes", of.nodes},
                     {"schedule", d.schedule},
                     {"config", d.config},
                     {"workload", d.workload},
                     {"source", d.source},
                     {"median_ns", call.ns},
                     {"share", call.share},
                     {"flops", call.flops},
                     {"bytes", call.bytes},
                     {"gflops", PerNs(call.flops, call.ns)},
                     {"gbytes_per_second", PerNs(static_cast<double>(call.bytes), call.ns)},
                     {"of_roof", call.of_roof},
                     {"bound", call.memory_bound ? "memory" : "arithmetic"}});
  }
  Json counters = nullptr;
  if (profile.counts.any()) {
    counters = {{"cycles", profile.counts.cycles},
                {"instructions", profile.counts.instructions},
                {"cache_misses", profile.counts.cache_misses},
                {"branch_misses", profile.counts.branch_misses}};
  }
  return {{"package", profile.path},
          {"model", plan.model},
          {"threads", profile.threads},
          {"extents", profile.extents},
          {"runs", profile.runs.size()},
          {"roofs", {{"gflops", profile.roof.gflops}, {"read_gbps", profile.roof.read_gbps}}},
          {"calls", calls},
          {"counters", counters},
          {"no_counters", profile.counts.why_not}};
}

}  // namespace hone

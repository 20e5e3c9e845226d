// The fields of the values that records consist of, listed once for both forms of JSON. PutFields passes each field's
// name and value to a sink, a JsonObjectTree or a JsonObjectText. docs/reference/formats.md describes them.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "core/json/json_text.h"
#include "core/json/serialize.h"

namespace hone {

// Collects one object of a tree.
class JsonObjectTree {
 public:
  template <typename Value>
  void Put(const char* name, const Value& value) {
    json_[name] = value;
  }
  template <typename PutAll>
  void PutObject(const char* name, const PutAll& put) {
    JsonObjectTree object;
    put(object);
    json_[name] = object.Take();
  }
  Json Take() { return std::move(json_); }

 private:
  Json json_ = Json::object();
};

// The tree of a value that has PutFields.
template <typename Value>
Json TreeOf(const Value& value) {
  JsonObjectTree tree;
  PutFields(value, tree);
  return tree.Take();
}

// The text of a value that has PutFields.
template <typename Value>
std::string TextOf(const Value& value) {
  std::string text;
  JsonObjectText object(text);
  PutFields(value, object);
  object.End();
  return text;
}

// A field of an object type that has PutFields.
template <typename Value, typename Sink>
void PutNested(const char* name, const Value& value, Sink& sink) {
  sink.PutObject(name, [&value](auto& object) { PutFields(value, object); });
}

// Fields that Environment gained over time, in the order in which they are written.
struct LateText {
  const char* name;
  std::string Environment::* member;
};
inline constexpr std::array<LateText, 8> kLateTexts = {{{"arch", &Environment::arch},
                                                        {"llvm_cpu", &Environment::llvm_cpu},
                                                        {"core_kind", &Environment::core_kind},
                                                        {"key", &Environment::key},
                                                        {"label", &Environment::label},
                                                        {"golden_kernel", &Environment::golden_kernel},
                                                        {"health", &Environment::health},
                                                        {"roofs", &Environment::roofs}}};

template <typename Sink>
void PutFields(const Target& target, Sink& sink) {
  sink.Put("triple", target.triple);
  sink.Put("cpu", target.cpu);
  sink.Put("features", target.features);
  sink.Put("num_cores", target.num_cores);
}

template <typename Sink>
void PutFields(const Candidate& candidate, Sink& sink) {
  sink.Put("workload", candidate.workload.ToText());
  sink.Put("schedule", candidate.schedule);
  sink.Put("config", candidate.config.ToText());
  PutNested("target", candidate.target, sink);
}

template <typename Sink>
void PutFields(const TimingPolicy& policy, Sink& sink) {
  sink.Put("cache", CacheModeName(policy.cache));
  sink.Put("threads", policy.threads);
  sink.Put("min_samples", policy.min_samples);
  sink.Put("max_samples", policy.max_samples);
  sink.Put("min_sample_ns", policy.min_sample_ns);
  sink.Put("incumbent_ns", policy.incumbent_ns);
  sink.Put("near_factor", policy.near_factor);
  sink.Put("deadline_ns", policy.deadline_ns);
  sink.Put("memory_bytes", policy.memory_bytes);
}

template <typename Sink>
void PutFields(const Environment& environment, Sink& sink) {
  sink.Put("host", environment.host);
  sink.Put("cpu_model", environment.cpu_model);
  sink.Put("cpu_id", environment.cpu_id);
  sink.Put("microcode", environment.microcode);
  sink.Put("features", environment.features);
  sink.Put("cores", environment.cores);
  sink.Put("caches", environment.caches);
  sink.Put("governor", environment.governor);
  sink.Put("kernel", environment.kernel);
  sink.Put("hypervisor", environment.hypervisor);
  sink.Put("isolation", environment.isolation);
  sink.Put("emulated", environment.emulated);
  sink.Put("load", environment.load);
  sink.Put("hone_version", environment.hone_version);
  // Empty fields are left out, so that the ids of records without them stay the same.
  for (const LateText& text : kLateTexts) {
    if (const std::string& value = environment.*text.member; !value.empty()) sink.Put(text.name, value);
  }
  if (environment.golden_ns != 0) sink.Put("golden_ns", environment.golden_ns);
  if (environment.mhz != 0) sink.Put("mhz", environment.mhz);
  if (environment.celsius != 0) sink.Put("celsius", environment.celsius);
}

template <typename Sink>
void PutFields(const Measurement& measurement, Sink& sink) {
  // JSON cannot represent an error that is infinite or NaN.
  const double error =
      std::isfinite(measurement.worst_error) ? measurement.worst_error : std::numeric_limits<double>::max();
  sink.Put("fate", FateName(measurement.fate));
  sink.Put("detail", measurement.detail);
  sink.Put("message", measurement.message);
  sink.Put("samples_ns", measurement.samples_ns);
  sink.Put("batch", measurement.batch);
  sink.Put("worst_error", error);
  sink.Put("noisy", measurement.noisy);
  sink.Put("wall_ns", measurement.wall_ns);
  PutNested("environment", measurement.environment, sink);
}

}  // namespace hone

// The fields of the values that records consist of, each named once. Fields(value, field) visits them in the order in
// which they are written: a FieldWriter puts them, a FieldReader takes them. docs/reference/formats.md describes them.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json/json_fields.h"
#include "core/json/serialize.h"
#include "core/layout.h"

namespace hone {

// JSON text written value by value. It equals what DumpJson gives for the same tree, without building the tree.
// Records are hashed, stored and sent by the million, and building the tree is most of the cost.
//
// This is one object. It appends to a text that must outlive it. A field's name is plain ASCII without '"' and '\'. As
// in DumpJson, invalid UTF-8 becomes U+FFFD, and a number that is not finite throws Error(kBug).
class JsonObjectText {
 public:
  explicit JsonObjectText(std::string& text) : text_(text) { text_ += '{'; }
  JsonObjectText(const JsonObjectText&) = delete;
  JsonObjectText& operator=(const JsonObjectText&) = delete;
  // Called once, after the last field.
  void End() { text_ += '}'; }

  void Put(std::string_view name, std::string_view value);
  void Put(std::string_view name, const std::string& value) { Put(name, std::string_view(value)); }
  void Put(std::string_view name, const char* value) { Put(name, std::string_view(value)); }
  void Put(std::string_view name, int64_t value);
  void Put(std::string_view name, int value) { Put(name, int64_t{value}); }
  void Put(std::string_view name, bool value);
  void Put(std::string_view name, double value);
  void Put(std::string_view name, const std::vector<std::string>& values);
  void Put(std::string_view name, const std::vector<int64_t>& values);
  // An object whose fields are put by `put`.
  template <typename PutAll>
  void PutObject(std::string_view name, const PutAll& put) {
    Name(name);
    JsonObjectText object(text_);
    put(object);
    object.End();
  }

 private:
  void Name(std::string_view name);

  std::string& text_;
  bool empty_ = true;
};

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

// Puts fields into a JsonObjectTree or a JsonObjectText. Its functions are those of FieldReader.
template <typename Sink>
class FieldWriter {
 public:
  explicit FieldWriter(Sink& sink) : sink_(sink) {}

  template <typename Value, typename... Least>
  void operator()(const char* name, const Value& value, Least... /*least*/) {
    sink_.Put(name, value);
  }
  void Text(const char* name, Fate fate) { sink_.Put(name, FateName(fate)); }
  void Text(const char* name, CacheMode mode) { sink_.Put(name, CacheModeName(mode)); }
  template <typename Value>
  void Text(const char* name, const Value& value) {
    sink_.Put(name, value.ToText());
  }
  void LayoutText(const char* name, const std::string& text) { sink_.Put(name, text); }
  void OutputError(const char* name, double error) {
    sink_.Put(name, std::isfinite(error) ? error : std::numeric_limits<double>::max());
  }
  template <typename Value>
  void Object(const char* name, const Value& value) {
    sink_.PutObject(name, [&value](Sink& sink) {
      FieldWriter field(sink);
      Fields(value, field);
    });
  }
  template <typename Value, typename... Least>
  void Late(const char* name, const Value& value, Least... /*least*/) {
    if (value != Value()) sink_.Put(name, value);
  }
  template <typename Value>
  void LateObject(const char* name, const Value& value, bool there) {
    if (there) Object(name, value);
  }
  static void Require(bool /*holds*/, const char* /*otherwise*/) {}

 private:
  Sink& sink_;
};

// Takes fields from an object. Each function throws Error(kBadData) naming the field, as those of json_fields.h do.
class FieldReader {
 public:
  // `json` must outlive the reader.
  explicit FieldReader(const Json& json) : json_(json) {}

  void operator()(const char* name, std::string& value) { value = TextField(json_, name); }
  void operator()(const char* name, bool& value) { value = BoolField(json_, name); }
  void operator()(const char* name, double& value) { value = NumberField(json_, name); }
  void operator()(const char* name, int& value, int least = std::numeric_limits<int>::min()) {
    value = IntField(json_, name, least);
  }
  void operator()(const char* name, int64_t& value, int64_t least) { value = IntegerField(json_, name, least); }
  void operator()(const char* name, std::vector<std::string>& value) { value = TextsField(json_, name); }
  void operator()(const char* name, std::vector<int64_t>& value, int64_t least) {
    value = IntegersField(json_, name, least);
  }
  // A value that is written as its text.
  void Text(const char* name, Fate& fate) { fate = ParseFate(TextField(json_, name)); }
  void Text(const char* name, CacheMode& mode);
  template <typename Value>
  void Text(const char* name, Value& value) {
    value = Value::Parse(TextField(json_, name));
  }
  // The text of a layout.
  void LayoutText(const char* name, std::string& text) { text = Layout::Parse(TextField(json_, name)).ToText(); }
  // An error of outputs. One that is not finite is written as the greatest double, because JSON has no such numbers.
  void OutputError(const char* name, double& error) { error = NumberField(json_, name); }
  // A value that has Fields of its own.
  template <typename Value>
  void Object(const char* name, Value& value) {
    FieldReader field(Field(json_, name));
    Fields(value, field);
  }
  // A field that the format gained later. It is left out while it has its default, so that the ids of records without
  // it stay the same.
  template <typename Value, typename... Least>
  void Late(const char* name, Value& value, Least... least) {
    if (json_.contains(name)) (*this)(name, value, least...);
  }
  // An object that the format gained later, which is written if `there`.
  template <typename Value>
  void LateObject(const char* name, Value& value, bool /*there*/) {
    if (json_.contains(name)) Object(name, value);
  }
  // Refuses fields that do not fit each other.
  static void Require(bool holds, const char* otherwise) {
    if (!holds) throw Error(ExitCode::kBadData, otherwise);
  }

 private:
  const Json& json_;
};

// The tree of a value that has Fields.
template <typename Value>
Json TreeOf(const Value& value) {
  JsonObjectTree tree;
  FieldWriter field(tree);
  Fields(value, field);
  return tree.Take();
}

// The text of a value that has Fields.
template <typename Value>
std::string TextOf(const Value& value) {
  std::string text;
  JsonObjectText object(text);
  FieldWriter field(object);
  Fields(value, field);
  object.End();
  return text;
}

// A value that has Fields. Throws Error(kBadData) naming a field that is missing, of another type or out of range.
template <typename Value>
Value ValueOf(const Json& json) {
  Value value;
  FieldReader field(json);
  Fields(value, field);
  return value;
}

// A value of this type to be read, or a constant one to be written.
template <typename Value, typename Type>
concept ReadOrWritten = std::same_as<std::remove_const_t<Value>, Type>;

void Fields(ReadOrWritten<Target> auto& target, auto& field) {
  field("triple", target.triple);
  field("cpu", target.cpu);
  field("features", target.features);
  field("num_cores", target.num_cores, 0);
}

void Fields(ReadOrWritten<Candidate> auto& candidate, auto& field) {
  field.Text("workload", candidate.workload);
  field("schedule", candidate.schedule);
  field.Text("config", candidate.config);
  field.Object("target", candidate.target);
}

void Fields(ReadOrWritten<TimingPolicy> auto& policy, auto& field) {
  field.Text("cache", policy.cache);
  field("threads", policy.threads, 1);
  field("min_samples", policy.min_samples, 0);
  field("max_samples", policy.max_samples, 0);
  field("min_sample_ns", policy.min_sample_ns, 0);
  field("incumbent_ns", policy.incumbent_ns, 0);
  field("near_factor", policy.near_factor);
  field("deadline_ns", policy.deadline_ns, 0);
  field("memory_bytes", policy.memory_bytes, 0);
}

void Fields(ReadOrWritten<Environment> auto& environment, auto& field) {
  field("host", environment.host);
  field("cpu_model", environment.cpu_model);
  field("cpu_id", environment.cpu_id);
  field("microcode", environment.microcode);
  field("features", environment.features);
  field("cores", environment.cores, 0);
  field("caches", environment.caches);
  field("governor", environment.governor);
  field("kernel", environment.kernel);
  field("hypervisor", environment.hypervisor);
  field("isolation", environment.isolation);
  field("emulated", environment.emulated);
  field("load", environment.load);
  field("hone_version", environment.hone_version);
  field.Late("arch", environment.arch);
  field.Late("llvm_cpu", environment.llvm_cpu);
  field.Late("core_kind", environment.core_kind);
  field.Late("key", environment.key);
  field.Late("label", environment.label);
  field.Late("golden_kernel", environment.golden_kernel);
  field.Late("health", environment.health);
  field.Late("roofs", environment.roofs);
  field.Late("golden_ns", environment.golden_ns, 1);
  field.Late("mhz", environment.mhz, 1);
  field.Late("celsius", environment.celsius);
}

void Fields(ReadOrWritten<Measurement> auto& measurement, auto& field) {
  field.Text("fate", measurement.fate);
  field("detail", measurement.detail);
  field("message", measurement.message);
  field("samples_ns", measurement.samples_ns, 0);
  field("batch", measurement.batch, 1);
  field.OutputError("worst_error", measurement.worst_error);
  field("noisy", measurement.noisy);
  field("wall_ns", measurement.wall_ns, 0);
  field.Object("environment", measurement.environment);
  field.Require(measurement.batch.size() == measurement.samples_ns.size(),
                "fields 'samples_ns' and 'batch' differ in length");
}

}  // namespace hone

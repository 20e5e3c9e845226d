#include "rpc_runner/wire/job_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "core/hash/hash.h"
#include "core/json/json_fields.h"

namespace hone {
namespace {

constexpr uint64_t kMostBlobBytes = uint64_t{1} << 40;

std::vector<uint64_t> SeedsFromJson(const Json& header) {
  std::vector<uint64_t> seeds;
  const auto it = header.find("seeds");
  if (it == header.end() || !it->is_array())
    throw Error(ExitCode::kBadData, "bad frame: field \"seeds\" should be a list");
  for (const Json& seed : *it) {
    if (!seed.is_number_unsigned()) throw Error(ExitCode::kBadData, "bad frame: a seed should be an unsigned number");
    seeds.push_back(seed.get<uint64_t>());
  }
  return seeds;
}

void CheckHash(const std::string& bytes, const std::string& sha256) {
  const std::string actual = Sha256Hex(bytes);
  if (actual != sha256) {
    throw Error(ExitCode::kBadData, fmt::format("bytes named {} have the hash {}", sha256, actual));
  }
}

uint32_t Attempt(const Json& header) { return static_cast<uint32_t>(HeaderNumber(header, "attempt")); }

Json BlobName(const Blob& blob) { return {{"sha256", blob.sha256}, {"size_bytes", blob.size_bytes}}; }

// Nullopt if the job names no such blob.
std::optional<Blob> NamedBlob(const Json& header, const char* field) {
  if (!header.contains(field)) return std::nullopt;
  const Json& name = HeaderObject(header, field);
  Blob blob{HeaderText(name, "sha256"), 0};
  const bool is_hash =
      blob.sha256.size() == 64 && blob.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
  const uint64_t size_bytes = HeaderNumber(name, "size_bytes");
  if (!is_hash || size_bytes > kMostBlobBytes) {
    throw Error(ExitCode::kBadData, fmt::format("bad frame: field \"{}\" names no bytes by hash and size", field));
  }
  blob.size_bytes = static_cast<int64_t>(size_bytes);
  return blob;
}

bool WantsOutputs(const Json& header) {
  const auto it = header.find("outputs");
  if (it == header.end()) return false;
  if (!it->is_boolean()) throw Error(ExitCode::kBadData, "bad frame: field \"outputs\" should be true or false");
  return it->get<bool>();
}

void DescribePackage(const PackageJob& job, Frame& frame) {
  frame.header["kind"] = "package";
  frame.header["runs"] = job.runs;
  frame.header["timing"] = ToJson(job.timing);
  frame.parts = {job.lib, DumpJson(ToJson(job.plan))};
  if (job.params) {
    frame.header["params"] = BlobName(*job.params);
  } else {
    frame.parts.push_back(job.exact_params);
  }
  if (job.inputs) frame.header["inputs"] = BlobName(*job.inputs);
  if (job.wants_outputs) frame.header["outputs"] = true;
}

PackageJob PackageFromFrame(const Frame& frame) {
  PackageJob job;
  job.params = NamedBlob(frame.header, "params");
  job.inputs = NamedBlob(frame.header, "inputs");
  job.wants_outputs = WantsOutputs(frame.header);
  const size_t parts = job.params ? 2 : 3;
  if (frame.parts.size() != parts) {
    throw Error(ExitCode::kBadData,
                fmt::format("bad frame: a package job {} params has {} parts", job.params ? "with" : "without", parts));
  }
  job.runs = static_cast<int>(std::min<uint64_t>(HeaderNumber(frame.header, "runs"), 1 << 20));
  job.timing = TimingPolicyFromJson(HeaderObject(frame.header, "timing"));
  job.lib = frame.parts[0];
  job.plan = PlanFromJson(ParseJson(frame.parts[1], "the job's plan"));
  if (!job.params) job.exact_params = frame.parts[2];
  return job;
}

void DescribeRuntime(const RuntimeJob& job, Frame& frame) {
  frame.header["kind"] = "runtime";
  frame.header["runtime"] = job.runtime;
  frame.header["settings"] = job.settings;
  frame.header["min_time_ns"] = job.min_time_ns;
  frame.header["timing"] = ToJson(job.timing);
  if (job.model) frame.header["model"] = BlobName(*job.model);
  if (job.inputs) frame.header["inputs"] = BlobName(*job.inputs);
  if (job.wants_outputs) frame.header["outputs"] = true;
}

RuntimeJob RuntimeFromFrame(const Frame& frame) {
  RuntimeJob job;
  job.runtime = HeaderText(frame.header, "runtime");
  for (const auto& setting : HeaderObject(frame.header, "settings").items()) {
    job.settings[setting.key()] = HeaderText(HeaderObject(frame.header, "settings"), setting.key().c_str());
  }
  job.model = NamedBlob(frame.header, "model");
  job.inputs = NamedBlob(frame.header, "inputs");
  if (!job.model || !job.inputs) {
    throw Error(ExitCode::kBadData, "bad frame: a runtime job names a model and inputs");
  }
  job.wants_outputs = WantsOutputs(frame.header);
  job.min_time_ns = IntegerField(frame.header, "min_time_ns", 0, kMostRuntimeNs);
  job.timing = TimingPolicyFromJson(HeaderObject(frame.header, "timing"));
  return job;
}

Json FactsToJson(const RuntimeFacts& facts) {
  return {{"name", facts.name},
          {"version", facts.version},
          {"precision", facts.precision},
          {"memory_bytes", facts.memory_bytes}};
}

RuntimeFacts FactsFromJson(const Json& json) {
  return {HeaderText(json, "name"), HeaderText(json, "version"), HeaderText(json, "precision"),
          IntegerField(json, "memory_bytes", 0)};
}

std::vector<int64_t> CallsFromJson(const Json& cost) {
  std::vector<int64_t> calls_ns;
  const auto list = cost.find("calls_ns");
  if (list == cost.end()) return calls_ns;
  if (!list->is_array()) throw Error(ExitCode::kBadData, "bad frame: field \"calls_ns\" should be a list");
  for (const Json& ns : *list) {
    if (!ns.is_number_integer()) throw Error(ExitCode::kBadData, "bad frame: a call's time should be an integer");
    calls_ns.push_back(ns.get<int64_t>());
  }
  return calls_ns;
}

constexpr const char* kOffset = "offset_bytes";

int64_t Offset(const Json& header) {
  const uint64_t offset = HeaderNumber(header, kOffset);
  if (offset > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    throw Error(ExitCode::kBadData, "bad frame: field \"offset_bytes\" is beyond any blob");
  }
  return static_cast<int64_t>(offset);
}

}  // namespace

Frame JobToFrame(const JobMessage& message, bool with_reference) {
  Frame frame{FrameKind::kJob, Json::object(), {}, message.lease};
  frame.header["job"] = message.id;
  frame.header["attempt"] = message.attempt;
  if (message.package) DescribePackage(*message.package, frame);
  if (message.runtime) DescribeRuntime(*message.runtime, frame);
  if (message.package || message.runtime) return frame;
  frame.parts.push_back(message.job.artifact.elf);
  frame.header["kind"] = "kernel";
  frame.header["artifact"] = ToJson(message.job.artifact);
  frame.header["reference"] = ToJson(message.job.reference);
  frame.header["reference_sha256"] = message.reference_sha256;
  frame.header["tolerance"] = message.job.tolerance;
  if (message.job.multiply_adds > 0) frame.header["multiply_adds"] = message.job.multiply_adds;
  frame.header["seeds"] = message.job.seeds;
  frame.header["timing"] = ToJson(message.job.timing);
  if (with_reference) frame.parts.push_back(message.job.reference.elf);
  return frame;
}

JobMessage JobFromFrame(const Frame& frame) {
  const Json& header = frame.header;
  JobMessage message;
  message.id = HeaderNumber(header, "job");
  message.attempt = Attempt(header);
  message.lease = frame.lease;
  const std::string kind = HeaderText(header, "kind");
  if (kind == "package") {
    message.package = PackageFromFrame(frame);
    return message;
  }
  if (kind == "runtime") {
    message.runtime = RuntimeFromFrame(frame);
    return message;
  }
  if (kind != "kernel") {
    throw Error(ExitCode::kBadData,
                fmt::format("jobs of kind \"{}\" are not run; \"kernel\", \"package\" and \"runtime\" are", kind));
  }
  if (frame.parts.empty() || frame.parts.size() > 2)
    throw Error(ExitCode::kBadData, "bad frame: a job has 1 or 2 parts");
  message.job.artifact = ArtifactFromJson(HeaderObject(header, "artifact"));
  message.job.artifact.elf = frame.parts[0];
  message.job.reference = ArtifactFromJson(HeaderObject(header, "reference"));
  message.reference_sha256 = HeaderText(header, "reference_sha256");
  if (!header.contains("tolerance") || !header["tolerance"].is_number()) {
    throw Error(ExitCode::kBadData, "bad frame: field \"tolerance\" should be a number");
  }
  message.job.tolerance = header["tolerance"].get<double>();
  if (header.contains("multiply_adds")) message.job.multiply_adds = IntegerField(header, "multiply_adds", 0);
  message.job.seeds = SeedsFromJson(header);
  message.job.timing = TimingPolicyFromJson(HeaderObject(header, "timing"));
  if (frame.parts.size() == 2) {
    CheckHash(frame.parts[1], message.reference_sha256);
    message.job.reference.elf = frame.parts[1];
  }
  return message;
}

Frame ResultToFrame(const ResultMessage& message) {
  Frame frame{FrameKind::kResult, Json::object(), {}};
  frame.header["job"] = message.id;
  frame.header["attempt"] = message.attempt;
  frame.header["measurement"] = ToJson(message.measurement);
  frame.header["cost"] = {{"verify_ns", message.cost.verify_ns}, {"timing_ns", message.cost.timing_ns}};
  if (!message.cost.calls_ns.empty()) frame.header["cost"]["calls_ns"] = message.cost.calls_ns;
  if (message.runtime) frame.header["runtime"] = FactsToJson(*message.runtime);
  for (size_t at = 0; at < message.outputs.size(); at += kMaxPartBytes) {
    frame.parts.push_back(message.outputs.substr(at, kMaxPartBytes));
  }
  return frame;
}

ResultMessage ResultFromFrame(const Frame& frame) {
  ResultMessage message;
  message.id = HeaderNumber(frame.header, "job");
  message.attempt = Attempt(frame.header);
  message.measurement = MeasurementFromJson(HeaderObject(frame.header, "measurement"));
  if (frame.header.contains("cost")) {
    const Json& cost = HeaderObject(frame.header, "cost");
    message.cost = {static_cast<int64_t>(HeaderNumber(cost, "verify_ns")),
                    static_cast<int64_t>(HeaderNumber(cost, "timing_ns")), CallsFromJson(cost)};
  }
  if (frame.header.contains("runtime")) message.runtime = FactsFromJson(HeaderObject(frame.header, "runtime"));
  for (const std::string& part : frame.parts) message.outputs += part;
  return message;
}

Frame NeedFrame(JobId id, const std::string& sha256) {
  return {FrameKind::kNeed, {{"job", id}, {"sha256", sha256}}, {}};
}

Frame JobErrorFrame(std::string_view code, std::string_view message, const Json& header) {
  Frame frame = ErrorFrame(code, message);
  // Copies only numbers: other values may be as long as a whole header.
  if (header.contains("job") && header["job"].is_number()) frame.header["job"] = header["job"];
  if (header.contains("attempt") && header["attempt"].is_number()) frame.header["attempt"] = header["attempt"];
  return frame;
}

Frame BlobFrame(const std::string& sha256, const std::string& bytes) {
  return {FrameKind::kBlob, {{"sha256", sha256}}, {bytes}};
}

std::string BlobFromFrame(const Frame& frame, std::string* sha256) {
  *sha256 = HeaderText(frame.header, "sha256");
  if (frame.parts.size() != 1) throw Error(ExitCode::kBadData, "bad frame: a blob has one part");
  CheckHash(frame.parts[0], *sha256);
  return frame.parts[0];
}

Measurement FailedMeasurement(Fate fate, int32_t detail, const std::string& message) {
  Measurement measurement;
  measurement.fate = fate;
  measurement.detail = detail;
  measurement.message = message;
  return measurement;
}

Measurement FailedMeasurement(const Failure& failure) {
  const bool of_machine = failure.fate == Fate::kCancelled;
  return FailedMeasurement(failure.fate, of_machine ? static_cast<int32_t>(failure.code) : 0, failure.reason);
}

Frame NeedPieceFrame(JobId id, const std::string& sha256, int64_t offset_bytes) {
  return {FrameKind::kNeed, {{"job", id}, {"sha256", sha256}, {kOffset, static_cast<uint64_t>(offset_bytes)}}, {}};
}

Frame PieceFrame(const BlobPiece& piece) {
  return {FrameKind::kBlob,
          {{"sha256", piece.sha256}, {kOffset, static_cast<uint64_t>(piece.offset_bytes)}},
          {piece.bytes}};
}

bool IsPiece(const Frame& blob) { return blob.header.contains(kOffset); }

BlobPiece PieceFromFrame(const Frame& frame) {
  BlobPiece piece{HeaderText(frame.header, "sha256"), Offset(frame.header), ""};
  if (frame.parts.size() != 1) throw Error(ExitCode::kBadData, "bad frame: a blob has one part");
  piece.bytes = frame.parts[0];
  return piece;
}

std::optional<Frame> AnswerNeed(const JobMessage& job, const Json& need, int64_t most_bytes) {
  const std::string sha256 = HeaderText(need, "sha256");
  if (!need.contains(kOffset)) {
    if (job.package || job.runtime || sha256 != job.reference_sha256) return std::nullopt;
    return BlobFrame(sha256, job.job.reference.elf);
  }
  const int64_t offset = Offset(need);
  for (const Blob* const blob : BlobsOf(job)) {
    if (blob->sha256 != sha256 || blob->data == nullptr || offset >= blob->size_bytes) continue;
    return PieceFrame(
        {sha256, offset,
         std::string(blob->bytes().substr(static_cast<size_t>(offset), static_cast<size_t>(most_bytes)))});
  }
  return std::nullopt;
}

std::vector<Blob*> BlobsOf(JobMessage& job) {
  std::vector<Blob*> blobs;
  const auto add = [&](std::optional<Blob>& blob) {
    if (blob) blobs.push_back(&*blob);
  };
  if (job.package) add(job.package->params);
  if (job.package) add(job.package->inputs);
  if (job.runtime) add(job.runtime->model);
  if (job.runtime) add(job.runtime->inputs);
  return blobs;
}

std::vector<const Blob*> BlobsOf(const JobMessage& job) {
  const std::vector<Blob*> blobs = BlobsOf(const_cast<JobMessage&>(job));
  return {blobs.begin(), blobs.end()};
}

const Blob* FirstMissing(const JobMessage& job) {
  for (const Blob* const blob : BlobsOf(job)) {
    if (blob->is_missing()) return blob;
  }
  return nullptr;
}

}  // namespace hone

#include "tests/runtime/test_package.h"

#include <cstring>
#include <fstream>
#include <sstream>

#include "core/hash/hash.h"
#include "core/json/serialize.h"
#include "core/package/package_format.h"
#include "runtime/host_cpu.h"

namespace hone::testing {
namespace {

constexpr int64_t kBytes = kTestElements * 4;

PlanBuffer Buffer(const std::string& name, BufferKind kind, Shape shape, int64_t size_bytes) {
  PlanBuffer buffer;
  buffer.name = name;
  buffer.kind = kind;
  buffer.shape = std::move(shape);
  buffer.size_bytes = size_bytes;
  return buffer;
}

Plan EmptyPlan() {
  Plan plan;
  plan.model = "test";
  plan.target.triple = std::string(HostArchitecture()) + "-pc-linux-gnu";
  plan.buffers = {Buffer("x", BufferKind::kInput, {1, kTestElements}, kBytes),
                  Buffer("y", BufferKind::kOutput, {1, kTestElements}, kBytes)};
  plan.inputs = {0};
  plan.outputs = {1};
  return plan;
}

Json SectionJson(const std::string& bytes) {
  Json json;
  json["sha256"] = Sha256Hex(bytes);
  json["size_bytes"] = bytes.size();
  return json;
}

std::string ManifestText(const Plan& plan, const std::string& graph, const std::string& lib, const std::string& params,
                         const std::vector<std::string>& required_features, const Json& model_sha256) {
  Json manifest;
  if (!model_sha256.is_null()) manifest["model_sha256"] = model_sha256;
  manifest["format"] = kPackageVersion;
  manifest["target"] = plan.target.ToText();
  manifest["required_features"] = required_features;
  manifest["sections"]["graph"] = SectionJson(graph);
  manifest["sections"]["lib"] = SectionJson(lib);
  manifest["sections"]["params"] = SectionJson(params);
  return DumpJson(manifest);
}

}  // namespace

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

std::string ReadTestKernels() { return ReadFile(HONE_TEST_KERNELS); }

Plan TestPlan() {
  Plan plan = EmptyPlan();
  plan.buffers.push_back(Buffer("w", BufferKind::kParam, {1}, 4));
  plan.buffers.push_back(Buffer("scaled", BufferKind::kArena, {1, kTestElements}, kBytes));
  plan.arena_bytes = kBytes;
  plan.params_bytes = 64;
  PlanKernel scale;
  scale.stages = {{"scale", kTestElements, 16, 0}};
  PlanKernel sum;
  sum.stages = {{"sum", 64, 1, 4}, {"sum_1", kTestElements, 100, 0}};
  sum.shared_workspace_bytes = 64 * 4;
  plan.kernels = {scale, sum};
  PlanCall first, second;
  first.operands = {{0, 0, kBytes}, {2, 0, 0}, {3, 0, kBytes}};
  first.op = "multiply";
  second.kernel = 1;
  second.operands = {{3, 0, kBytes}, {1, 0, kBytes}};
  second.op = "sum";
  plan.calls = {first, second};
  return plan;
}

Plan FailingPlan() {
  Plan plan = EmptyPlan();
  plan.params_bytes = 64;
  PlanKernel kernel;
  kernel.stages = {{"fail", 8, 1, 0}};
  plan.kernels = {kernel};
  PlanCall call;
  call.operands = {{0, 0, 0}, {1, 0, 0}};
  call.op = "nn.conv2d";
  call.nodes = {"Conv_17"};
  plan.calls = {call};
  return plan;
}

Plan CountedPlan() {
  Plan plan = EmptyPlan();
  plan.buffers[1].shape = {kCountedSide, kCountedSide};
  PlanBuffer count = Buffer("the count of axis 1 of y", BufferKind::kOutput, {}, 8);
  count.dtype = DType::kInt64;
  plan.buffers.push_back(count);
  plan.counted = {{0, 1, 2, kCountedSide}};
  plan.params_bytes = 64;
  PlanKernel kernel;
  kernel.stages = {{"tell", 1, 1, 0}};
  plan.kernels = {kernel};
  PlanCall call;
  call.operands = {{0, 0, kBytes}, {1, 0, kCountedSide * 4}, {2, 0, 0}};
  call.op = "argwhere";
  plan.calls = {call};
  return plan;
}

std::string CountedPackage() { return PackTestPackage(CountedPlan(), ReadTestKernels(), std::string(64, '\0')); }

Plan RangedPlan() {
  Plan plan = EmptyPlan();
  plan.buffers[0].shape = plan.buffers[1].shape = {kCountedSide, kCountedSide};
  plan.buffers.push_back(Buffer("b", BufferKind::kInput, {kCountedSide}, 4 * kCountedSide));
  plan.buffers.push_back(Buffer("rows", BufferKind::kInput, {}, 8));
  plan.buffers.push_back(Buffer("columns", BufferKind::kInput, {}, 8));
  plan.buffers.push_back(Buffer("seen", BufferKind::kOutput, {2}, 16));
  for (size_t i = 3; i < 6; ++i) plan.buffers[i].dtype = DType::kInt64;
  plan.inputs = {0, 2};
  plan.outputs = {1, 5};
  plan.ranged = {{0, 0, 3, 1}, {0, 1, 4, 0}, {1, 0, 3, 1}};
  plan.params_bytes = 64;
  PlanKernel kernel;
  kernel.stages = {{"show", 1, 1, 0}};
  plan.kernels = {kernel};
  PlanCall call;
  call.operands = {{0, 0, 256}, {2, 0, 4}, {3, 0, 0}, {4, 0, 0}, {1, 0, 256}, {5, 0, 8}};
  call.op = "add";
  plan.calls = {call};
  return plan;
}

Plan VariedPlan() {
  Plan plan = RangedPlan();
  PlanKernel less;
  less.stages = {{"show_less", 1, 1, 0}};
  plan.kernels.push_back(less);
  plan.calls[0].variants = {{1, {{3, 2}, {4, 10}}, {}}, {1, {{3, 1}}, {}}};
  return plan;
}

std::string VariedPackage() { return PackTestPackage(VariedPlan(), ReadTestKernels(), std::string(64, '\0')); }

std::string LeftPackage() {
  Plan plan = RangedPlan();
  PlanBuffer count = Buffer("rows - 5", BufferKind::kOutput, {}, 8);
  count.dtype = DType::kInt64;
  plan.buffers.push_back(count);
  plan.counted = {{0, 0, 6, kCountedSide}};
  PlanKernel kernel;
  kernel.stages = {{"left", 1, 1, 0}};
  plan.kernels.push_back(kernel);
  PlanCall call;
  call.kernel = 1;
  call.operands = {{3, 0, 0}, {6, 0, 0}};
  call.op = "subtract";
  plan.calls.push_back(call);
  return PackTestPackage(plan, ReadTestKernels(), std::string(64, '\0'));
}

std::string RangedPackage() { return PackTestPackage(RangedPlan(), ReadTestKernels(), std::string(64, '\0')); }

std::string PackTestPackage(const Plan& plan, const std::string& lib, const std::string& params,
                            const std::vector<std::string>& required_features, const Json& model_sha256) {
  const std::string graph = DumpJson(ToJson(plan));
  const std::string manifest = ManifestText(plan, graph, lib, params, required_features, model_sha256);
  PackageHeader header{};
  std::memcpy(header.magic, kPackageMagic, sizeof(header.magic));
  header.version = kPackageVersion;
  header.section_count = kSectionCount;
  const std::string digest = Sha256Hex(manifest);
  for (size_t i = 0; i < 32; ++i) {
    header.manifest_sha256[i] = static_cast<uint8_t>(std::stoi(digest.substr(2 * i, 2), nullptr, 16));
  }
  std::string bytes(sizeof(header), '\0');
  int index = 0;
  for (const std::string* section : {&manifest, &graph, &lib, &params}) {
    bytes.resize((bytes.size() + kPackageAlign - 1) / kPackageAlign * kPackageAlign);
    header.sections[index++] = {bytes.size(), section->size()};
    bytes += *section;
  }
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

std::string TestPackage() {
  const float weight = 3;
  std::string params(64, '\0');
  std::memcpy(params.data(), &weight, sizeof(weight));
  return PackTestPackage(TestPlan(), ReadTestKernels(), params);
}

std::vector<float> ExpectedOutput(const std::vector<float>& x) {
  std::vector<float> scaled(x.size()), y(x.size());
  for (size_t i = 0; i < x.size(); ++i) scaled[i] = x[i] * 3;
  float total = 0;
  for (size_t i = 0; i < 64; ++i) {
    float partial = 0;
    for (size_t k = i; k < scaled.size(); k += 64) partial += scaled[k];
    total += partial;
  }
  for (size_t i = 0; i < x.size(); ++i) y[i] = scaled[i] + total;
  return y;
}

SectionPlace PlaceOf(const std::string& package, int index) {
  PackageHeader header;
  std::memcpy(&header, package.data(), sizeof(header));
  return {header.sections[index].offset_bytes, header.sections[index].size_bytes};
}

}  // namespace hone::testing

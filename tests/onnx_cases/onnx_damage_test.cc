// Damaged models of every operator are refused in one line, or are valid: nothing crashes, and memory stays bounded.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "compiler/codegen/target/host.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "core/error.h"
#include "tests/onnx_cases/case_pack.h"
#include "tests/onnx_cases/mutate_model.h"
#include "tests/support/peak_memory.h"

namespace hone {
namespace {

// Memory on top of twice the file. Importing may compute constants of up to 1 GiB; a refusal comes before much is
// computed. A sanitizer keeps freed memory.
constexpr int64_t kUsualBytes = int64_t{64} << 20;
constexpr int64_t kMostBytes = (int64_t{1} << 30) + kUsualBytes;
#ifdef HONE_SANITIZED
constexpr int64_t kMostRefusedBytes = kMostBytes;
constexpr int kMutations = 1'000;
#else
constexpr int64_t kMostRefusedBytes = kUsualBytes;
constexpr int kMutations = 10'000;
#endif

int Mutations() {
  const char* asked = std::getenv("HONE_MUTATIONS");
  return asked != nullptr ? std::atoi(asked) : kMutations;
}

// The single mutation to run, which is kept as mutation.onnx; -1 for all.
int OnlyMutation() {
  const char* asked = std::getenv("HONE_MUTATION");
  return asked != nullptr ? std::atoi(asked) : -1;
}

double ProcessorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Tally {
  int read = 0, built = 0, large = 0;
  int64_t most_bytes = 0;
  double most_seconds = 0;
  std::string largest, slowest;
};

void ExpectOneLine(const Error& error, const std::string& what) {
  EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << what << ": " << error.what();
  EXPECT_TRUE(error.code() == ExitCode::kBadData || error.code() == ExitCode::kUsage) << what << ": " << error.what();
}

std::optional<relay::IRModule> Imported(const std::string& bytes, const std::string& what, Tally& tally) {
  try {
    relay::IRModule module = relay::InferType(ImportOnnxBytes(bytes, what).module);
    ++tally.read;
    return module;
  } catch (const Error& error) {
    ExpectOneLine(error, what);
  } catch (const std::exception& error) {
    ADD_FAILURE() << what << ", imported: " << error.what();
  }
  return std::nullopt;
}

void Import(const std::string& bytes, const std::string& what, bool builds, Tally& tally) {
  const PeakMemory memory;
  const double begin = ProcessorSeconds();
  const std::optional<relay::IRModule> module = Imported(bytes, what, tally);
  const double seconds = ProcessorSeconds() - begin;
  const int64_t grown = memory.GrownBytes();
  EXPECT_LE(grown, (module ? kMostBytes : kMostRefusedBytes) + 2 * static_cast<int64_t>(bytes.size())) << what;
  tally.large += grown > kUsualBytes;
  if (grown > tally.most_bytes) tally.largest = what;
  if (seconds > tally.most_seconds) tally.slowest = what;
  tally.most_bytes = std::max(tally.most_bytes, grown);
  tally.most_seconds = std::max(tally.most_seconds, seconds);
  if (!module || !builds) return;
  try {
    BuildOptions options;
    options.context.target = HostTarget();
    options.context.threads = 1;
    Build(*module, options);
    ++tally.built;
  } catch (const Error& error) {
    ExpectOneLine(error, what);
  } catch (const std::exception& error) {
    ADD_FAILURE() << what << ", built: " << error.what();
  }
}

TEST(OnnxDamage, IsRefusedOrRead) {
  const CasePack pack(std::string(HONE_TEST_DATA) + "/onnx_cases/cases.gz");
  std::vector<std::string_view> models;
  for (const OnnxCase& one : pack.cases()) models.push_back(one.model);
  Random random(31);
  Tally tally;
  const int only = OnlyMutation();
  for (int i = 0; i < Mutations(); ++i) {
    const OnnxCase& one = pack.cases()[random.Below(models.size())];
    const std::string bytes = MutatedModel(one.model, models, random);
    if (only >= 0 && i != only) continue;
    if (only == i) std::ofstream("mutation.onnx", std::ios::binary) << bytes;
    Import(bytes, one.name + ", mutation " + std::to_string(i), i % 10 == 0, tally);
  }
  std::cout << Mutations() << " damaged models: " << tally.read << " are read, " << tally.built << " of a tenth built\n"
            << tally.large << " took more than 64 MiB, at most " << (tally.most_bytes >> 20) << " MiB ("
            << tally.largest << "); the longest " << tally.most_seconds << " s (" << tally.slowest << ")\n";
}

}  // namespace
}  // namespace hone

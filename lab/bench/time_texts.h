// Times language models on texts of token ids: a prompt, then one new token after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "core/measurement.h"
#include "lab/bench/verdict.h"
#include "rpc_runner/health/roofs.h"

namespace hone {

struct TimeTextsOptions {
  int threads = 0;  // 0: the cores that affinity and the cgroup allow
  int64_t prompt_tokens = 512, new_tokens = 128;
  int rounds = 10;
  std::function<void(int round)> progress = [](int) {};  // called with the number of finished rounds, from 0 on
};

// The work of a text in layers with parameters, without attention.
struct TextWork {
  double prompt_flops = 0;  // of the prompt; two for a multiply-add
  double token_flops = 0;   // of a new token
  double token_bytes = 0;   // that a new token reads, in the mean: parameters, and positions that states hold
  int products = 1;         // that the CPU adds up in place of one of float32: 4 of bytes if it has such an instruction
};

// A share of a roof is 0 if the machine's roofs are unknown.
struct TextTimes {
  std::string path;
  int threads = 0;
  std::vector<int64_t> first_ns;  // by round: from the prompt to the first new token
  std::vector<int64_t> token_ns;  // by round: of each further token, the mean
  TextWork work;
  Roof roof;                                                   // of these threads together, measured afterwards
  double prompt_tokens_per_second = 0, tokens_per_second = 0;  // by the least time
  double prompt_share = 0;                                     // of the arithmetic
  double token_share = 0;                                      // of the read bandwidth
};

struct TextsResult {
  TimeTextsOptions options;
  std::vector<TextTimes> packages;
  Environment machine;
  std::vector<Verdict> prompt_verdicts, token_verdicts;  // on each package but the first, against it
};

// In each round each package is loaded anew, computes one text to warm up and then another one, which is timed. Both
// are greedy and begin with the same random ids. Throws Error as Package::Load and Decoder do, and Error(kUsage) for
// texts that are longer than a package can hold.
TextsResult TimeTexts(const std::vector<std::string>& paths, const TimeTextsOptions& options, double smallest_effect);

// JSON as in docs/reference/cli.md.
Json ToJson(const TextsResult& result);
void PrintTexts(const TextsResult& result);

}  // namespace hone

#include "lab/bench/time_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "core/ceil_div.h"
#include "core/error.h"
#include "core/machine/target.h"
#include "core/nth.h"
#include "core/random.h"
#include "core/stats/statistics.h"
#include "core/text/printable.h"
#include "core/workload.h"
#include "lab/bench/timed_package.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/status_line.h"
#include "lab/text/table.h"
#include "rpc_runner/health/health_watch.h"
#include "rpc_runner/machine/environment.h"
#include "runtime/generate/generate.h"

namespace hone {
namespace {

// A layer whose rows meet parameters.
struct WeightedLayer {
  double row_flops = 0;
  int64_t rows = 0;  // at most
  bool of_bytes = false;
};

// Adds the buffers of the call's parameters to `params`.
std::vector<WeightedLayer> WeightedLayers(const Plan& plan, std::set<int>& params) {
  std::vector<WeightedLayer> layers;
  for (const PlanCall& call : plan.calls) {
    const std::string& text = Nth(plan.kernels, call.kernel).dispatch.workload;
    if (text.empty() || !call.op.starts_with("nn.dense")) continue;
    const Workload workload = Workload::Parse(text);
    const int64_t rows = std::max<int64_t>(1, workload.data.front());
    layers.push_back({call.flops / static_cast<double>(rows), rows, workload.types.accumulator == DType::kInt32});
    for (const PlanView& view : call.operands) {
      if (Nth(plan.buffers, view.buffer).kind == BufferKind::kParam) params.insert(view.buffer);
    }
  }
  return layers;
}

// Bytes of one position of all states that grow.
double PositionBytes(const Plan& plan) {
  double bytes = 0;
  for (const PlanState& state : plan.states) {
    if (state.axis < 0) continue;
    const PlanBuffer& buffer = Nth(plan.buffers, state.before);
    bytes += static_cast<double>(buffer.size_bytes) /
             static_cast<double>(std::max<int64_t>(1, Nth(buffer.shape, state.axis)));
  }
  return bytes;
}

TextWork WorkOf(const Plan& plan, int64_t at_once, const TimeTextsOptions& options) {
  std::set<int> params;
  TextWork work;
  const std::vector<WeightedLayer> layers = WeightedLayers(plan, params);
  const int64_t runs = CeilDiv(options.prompt_tokens, at_once);
  double of_bytes = 0;
  for (const WeightedLayer& layer : layers) {
    // Layers behind the choice of the last token have one row in each run.
    const int64_t rows = layer.rows >= at_once ? options.prompt_tokens : layer.rows * runs;
    work.prompt_flops += layer.row_flops * static_cast<double>(rows);
    work.token_flops += layer.row_flops;
    if (layer.of_bytes) of_bytes += layer.row_flops;
  }
  const ByteDots dots = MachineModelFor(plan.target).byte_dots;
  const bool has_fours = dots == ByteDots::kMixedFours || dots == ByteDots::kSignedFours;
  work.products = has_fours && 2 * of_bytes > work.token_flops ? 4 : 1;
  for (const int buffer : params) work.token_bytes += static_cast<double>(Nth(plan.buffers, buffer).size_bytes);
  const double held = static_cast<double>(options.prompt_tokens) + static_cast<double>(options.new_tokens) / 2;
  work.token_bytes += PositionBytes(plan) * held;
  return work;
}

void RequireRoom(const std::string& path, const Decoder& decoder, const TimeTextsOptions& options) {
  const int64_t needed = options.prompt_tokens + options.new_tokens - 1;
  if (needed <= decoder.capacity()) return;
  throw Error(ExitCode::kUsage, fmt::format("{} holds {}; --prompt {} and --generate {} need {}: build it with a "
                                            "larger range (--dim), or ask for less",
                                            path, Counted(decoder.capacity(), "token"), options.prompt_tokens,
                                            options.new_tokens, needed));
}

std::vector<int64_t> RandomIds(int64_t count, int64_t vocabulary) {
  Random random(1);
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < count; ++i)
    ids.push_back(static_cast<int64_t>(random.Below(static_cast<size_t>(vocabulary))));
  return ids;
}

class TextBench {
 public:
  TextBench(const std::vector<std::string>& paths, const TimeTextsOptions& options)
      : options_(options), pool_(options.threads > 0 ? options.threads : AllowedCores()) {
    for (const std::string& path : paths) {
      files_.emplace_back(path, InputOptions{});
      Session session(files_.back().first(), {.pool = &pool_});
      const Decoder decoder(session);
      RequireRoom(path, decoder, options);
      TextTimes times;
      times.path = path;
      times.threads = pool_.threads();
      times.work = WorkOf(files_.back().first()->plan(), decoder.at_once(), options);
      times_.push_back(times);
    }
  }

  std::vector<TextTimes> Run() {
    for (int round = 0; round < options_.rounds; ++round) {
      options_.progress(round);
      for (size_t i = 0; i < files_.size(); ++i) {
        RunOne((i + static_cast<size_t>(round)) % files_.size());
      }
    }
    options_.progress(options_.rounds);
    return std::move(times_);
  }

 private:
  void RunOne(size_t index) {
    const MappedBytes gap = TakeGap(random_);
    Session session(files_[index].Load(), {.pool = &pool_});
    Decoder decoder(session);
    const std::vector<int64_t> prompt = RandomIds(options_.prompt_tokens, decoder.vocabulary());
    Generate(decoder, prompt, {.new_tokens = std::min<int64_t>(options_.new_tokens, 4)});
    decoder.Reset();
    const Generation made = Generate(decoder, prompt, {.new_tokens = options_.new_tokens});
    times_[index].first_ns.push_back(std::max<int64_t>(1, made.first_ns));
    times_[index].token_ns.push_back(std::max<int64_t>(1, made.rest_ns / (options_.new_tokens - 1)));
  }

  const TimeTextsOptions options_;
  ThreadPool pool_;  // one for all sessions
  std::vector<LoadedAnew> files_;
  std::vector<TextTimes> times_;
  Random random_{1};
};

int64_t Least(const std::vector<int64_t>& times_ns) { return *std::min_element(times_ns.begin(), times_ns.end()); }

void HoldAgainst(const std::vector<Roof>& roofs, int64_t prompt_tokens, TextTimes& times) {
  const int64_t first_ns = Least(times.first_ns), token_ns = Least(times.token_ns);
  times.prompt_tokens_per_second = 1e9 * static_cast<double>(prompt_tokens) / static_cast<double>(first_ns);
  times.tokens_per_second = 1e9 / static_cast<double>(token_ns);
  for (const Roof& roof : roofs) {
    if (roof.threads == times.threads && roof.cores.empty()) times.roof = roof;
  }
  if (times.roof.gflops <= 0 || times.roof.read_gbps <= 0) return;
  const double gflops = times.work.prompt_flops / static_cast<double>(first_ns);
  times.prompt_share = gflops / (times.roof.gflops * times.work.products);
  times.token_share = times.work.token_bytes / static_cast<double>(token_ns) / times.roof.read_gbps;
}

Verdict Judge(const TextTimes& one, const TextTimes& first, bool prompt, double smallest_effect) {
  Verdict verdict =
      JudgePairs(prompt ? one.first_ns : one.token_ns, prompt ? first.first_ns : first.token_ns, smallest_effect);
  verdict.package = one.path;
  verdict.against = first.path;
  return verdict;
}

std::string ShareText(double share, double roof, const char* unit) {
  return share > 0 ? fmt::format("{:.0f} % of {:.0f} {}", 100 * share, roof, unit) : "-";
}

}  // namespace

TextsResult TimeTexts(const std::vector<std::string>& paths, const TimeTextsOptions& options, double smallest_effect) {
  TextsResult result{options, {}, ProbeEnvironment(), {}, {}};
  result.packages = TextBench(paths, options).Run();
  result.machine.roofs = RoofsTextOfThisMachine({}, result.machine);
  const std::vector<Roof> roofs = ParseRoofsText(result.machine.roofs);
  for (TextTimes& times : result.packages) HoldAgainst(roofs, options.prompt_tokens, times);
  for (size_t i = 1; i < result.packages.size(); ++i) {
    const TextTimes &one = result.packages[i], &first = result.packages[0];
    result.prompt_verdicts.push_back(Judge(one, first, true, smallest_effect));
    result.token_verdicts.push_back(Judge(one, first, false, smallest_effect));
  }
  return result;
}

Json ToJson(const TextsResult& result) {
  Json packages = Json::array();
  for (const TextTimes& t : result.packages) {
    packages.push_back({{"name", t.path},
                        {"threads", t.threads},
                        {"first_token_ns", t.first_ns},
                        {"token_ns", t.token_ns},
                        {"prompt_tokens_per_second", t.prompt_tokens_per_second},
                        {"tokens_per_second", t.tokens_per_second},
                        {"prompt_flops", t.work.prompt_flops},
                        {"token_flops", t.work.token_flops},
                        {"token_bytes", t.work.token_bytes},
                        {"roof_gflops", t.roof.gflops * t.work.products},
                        {"roof_read_gbps", t.roof.read_gbps},
                        {"prompt_share", t.prompt_share},
                        {"token_share", t.token_share}});
  }
  const auto verdicts = [](const std::vector<Verdict>& of) {
    Json all = Json::array();
    for (const Verdict& verdict : of) all.push_back(ToJson(verdict));
    return all;
  };
  return {{"prompt_tokens", result.options.prompt_tokens},
          {"new_tokens", result.options.new_tokens},
          {"packages", packages},
          {"machine", ToJson(result.machine)},
          {"prompt_verdicts", verdicts(result.prompt_verdicts)},
          {"token_verdicts", verdicts(result.token_verdicts)}};
}

void PrintTexts(const TextsResult& result) {
  Table table({"package", "> threads", "part", "> tokens", "> tokens/s", "> min", "> median", "> of the roof"});
  for (const TextTimes& t : result.packages) {
    const auto add = [&](const char* part, int64_t tokens, double rate, const std::vector<int64_t>& ns,
                         const std::string& share) {
      table.Add({t.path, fmt::format("{}", t.threads), part, fmt::format("{}", tokens), fmt::format("{:.1f}", rate),
                 TimeText(Least(ns)), TimeText(StatisticsOf(ns).median_ns), share});
    };
    add("prompt, to the first token", result.options.prompt_tokens, t.prompt_tokens_per_second, t.first_ns,
        ShareText(t.prompt_share, t.roof.gflops * t.work.products, "GFLOP/s"));
    add("each next token", result.options.new_tokens - 1, t.tokens_per_second, t.token_ns,
        ShareText(t.token_share, t.roof.read_gbps, "GB/s"));
  }
  Print("{}", table.ToText(OutputColumns()));
  for (const Verdict& verdict : result.prompt_verdicts) PrintVerdicts("prompt: " + VerdictText(verdict) + "\n");
  for (const Verdict& verdict : result.token_verdicts) PrintVerdicts("next tokens: " + VerdictText(verdict) + "\n");
}

}  // namespace hone

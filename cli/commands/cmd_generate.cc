#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/machine_options.h"
#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "runtime/generate/generate.h"

namespace hone {
namespace {

struct Options {
  std::string package, ids, stop;
  int threads = 0;
  GenerateOptions generate;
};

// "5,17,3" as numbers. Throws Error(kUsage) naming the option.
std::vector<int64_t> ParseIds(const std::string& text, const char* option) {
  std::vector<int64_t> ids;
  if (text.empty()) return ids;
  for (const std::string_view word : Split(text, ',')) {
    const auto id = ParseInteger(word);
    if (!id || *id < 0) throw Error(ExitCode::kUsage, fmt::format("{} is given \"{}\"; right is 5,17,3", option, text));
    ids.push_back(*id);
  }
  return ids;
}

// Tokens a second; 0 if there are none.
double RateOf(int64_t tokens, int64_t ns) {
  return ns > 0 ? static_cast<double>(tokens) * 1e9 / static_cast<double>(ns) : 0;
}

void PrintGeneration(const Generation& made, const std::vector<int64_t>& prompt, bool state, bool json) {
  const auto rest = static_cast<int64_t>(made.ids.size()) - 1;
  const double rate = RateOf(rest, made.rest_ns);
  if (json) {
    std::vector<int64_t> ids = prompt;
    ids.insert(ids.end(), made.ids.begin(), made.ids.end());
    return PrintJson({{"ids", ids},
                      {"prompt_tokens", prompt.size()},
                      {"new_tokens", made.ids.size()},
                      {"end", EndText(made.end)},
                      {"first_token_ns", made.first_ns},
                      {"tokens_per_second", rate},
                      {"keeps_state", state}});
  }
  Print("\n{} of prompt, first new token after {}", Counted(prompt.size(), "token"), TimeText(made.first_ns));
  if (rest > 0) Print(", then {:.4g} tokens/s", rate);
  Print("; ended by {}\n", EndText(made.end));
  if (!state) Print("the package has no states, so each token computes the whole text\n");
}

}  // namespace

int GenerateCommand(const Arguments& arguments) {
  CommandLine line("hone generate", "Continues a text of token ids with a language model's package.",
                   "hone generate decoder.hone --ids 5,17,3 --new 64");
  line.First({"--ids", "--new", "--stop", "--temperature", "--threads"});
  Options options;
  SamplingOptions& sampling = options.generate.sampling;
  line.Add("PACKAGE", options.package, "a package that `hone build` wrote").Required().Reads().About(Topic::kPackage);
  line.Add("--ids", options.ids, "the prompt's token ids, as 5,17,3").Required();
  line.Add("--new", options.generate.new_tokens, "largest number of new tokens").ShowDefault();
  line.Add("--stop", options.stop, "ids that end the text, as 0,2");
  line.Add("--temperature", sampling.temperature, "divides the logits; 0 takes the most likely token").ShowDefault();
  line.Add("--top-k", sampling.top_k, "draw among the K most likely tokens; 0: all")
      .In(OptionGroup::kSampling)
      .ShowDefault();
  line.Add("--top-p", sampling.top_p, "draw among the tokens that reach this probability")
      .In(OptionGroup::kSampling)
      .ShowDefault();
  line.Add("--repetition-penalty", sampling.repetition_penalty, "divides logits of tokens that occurred")
      .In(OptionGroup::kSampling)
      .ShowDefault();
  line.Add("--seed", sampling.seed, "seed of the draws").In(OptionGroup::kSampling).ShowDefault();
  AddThreadsOption(line, options.threads);
  if (!line.Parse(arguments)) return 0;
  const std::vector<int64_t> prompt = ParseIds(options.ids, "--ids");
  options.generate.stop_ids = ParseIds(options.stop, "--stop");
  const bool json = line.json();
  bool first = true;
  options.generate.on_token = [json, &first](int64_t id) {
    if (!json) Print("{}{}", first ? "" : ",", id);
    first = false;
    return true;
  };
  Session session(Package::Load(options.package), {.threads = options.threads});
  Decoder decoder(session);
  PrintGeneration(Generate(decoder, prompt, options.generate), prompt, decoder.keeps_state(), json);
  line.Next("hone bench" + line.Given({Topic::kPackage, Topic::kThreads}));
  return 0;
}

}  // namespace hone

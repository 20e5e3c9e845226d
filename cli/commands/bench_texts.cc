#include <fmt/format.h>

#include <algorithm>

#include "cli/bench_options.h"
#include "core/error.h"
#include "lab/bench/built_packages.h"
#include "lab/bench/one_model.h"
#include "lab/bench/time_texts.h"
#include "lab/machine/package_there.h"
#include "lab/model/model_kind.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/status_line.h"

namespace hone {
namespace {

constexpr int64_t kUsualPrompt = 512, kUsualNewTokens = 128;

void RequireTextsAlone(const BenchOptions& options) {
  if (HasModel(options)) {
    throw Error(ExitCode::kUsage,
                "--prompt and --generate are for packages: hone build MODEL --state auto --dim ... -o P.hone");
  }
  const bool others = options.per_op || options.energy || options.csv || options.markdown ||
                      !options.baseline.empty() || !options.save.empty() || !options.runtimes.empty() ||
                      !options.against.empty() || !options.write.empty() || options.timing.runs > 0 ||
                      !options.model.dims.empty() || IsRemote(options.remote);
  if (!others) return;
  throw Error(ExitCode::kUsage,
              "--prompt and --generate time texts on this machine; beside them go --threads, --rounds, "
              "--any-model, --smallest-effect, --fail-above and --json");
}

bool AnySlower(const std::vector<Verdict>& verdicts) {
  return std::any_of(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.finding == Finding::kSlower; });
}

}  // namespace

int BenchTexts(CommandLine& line, const BenchOptions& options) {
  RequireTextsAlone(options);
  for (const std::string& package : options.packages) RequirePackageFile(package);
  if (!options.any_model) RequireOneModel(options.packages, options.packages);
  StatusLine status;
  TimeTextsOptions timing;
  timing.threads = options.timing.threads;
  timing.rounds = options.timing.rounds;
  timing.prompt_tokens = options.prompt > 0 ? options.prompt : kUsualPrompt;
  timing.new_tokens = options.generate > 0 ? options.generate : kUsualNewTokens;
  timing.progress = [&](int round) { status.Show(fmt::format("round {} of {}", round, timing.rounds)); };
  const bool gate = !options.fail_above.empty();
  const double smallest =
      gate ? ParseShare(options.fail_above, "--fail-above") : ParseShare(options.smallest_effect, "--smallest-effect");
  if (gate && options.packages.size() < 2) {
    throw Error(ExitCode::kUsage, "--fail-above judges two packages; give the old and the new one");
  }
  const TextsResult result = TimeTexts(options.packages, timing, smallest);
  line.json() ? PrintJson(ToJson(result)) : PrintTexts(result);
  line.Next("hone generate " + ShellWord(options.packages[0]) + " --ids 5,17,3" + line.Given({Topic::kThreads}));
  const bool slower = AnySlower(result.prompt_verdicts) || AnySlower(result.token_verdicts);
  return gate && slower ? static_cast<int>(ExitCode::kAnswerIsNo) : 0;
}

}  // namespace hone

#include "cli/commands/package/replace_params.h"

#include "cli/command_line.h"
#include "cli/files/join_packages.h"
#include "cli/files/read_file.h"
#include "cli/files/write_file.h"
#include "cli/model.h"
#include "cli/printing/number_text.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "cli/relay_file.h"
#include "compiler/replace_params.h"
#include "core/hash.h"
#include "core/shell_word.h"
#include "runtime/package.h"

namespace hone {
namespace {

struct ReplaceParamsOptions {
  std::string package, output;
  ModelOptions model;
};

// Of a file that holds the values that the package gets, or none at all; empty where others are put in their places.
std::string ModelSha256(const ModelOptions& model) {
  const bool is_of_them = model.other_values.empty() || IsRelayFile(model.model);
  return is_of_them && IsThere(model.model) ? Sha256Hex(ReadFile(model.model)) : "";
}

// A file for several targets gets the parameters in each of its packages.
std::string Replaced(const ReplaceParamsOptions& options) {
  const auto packages = Package::InspectAll(options.package);
  const Model model = LoadModel(options.model);
  const std::string sha256 = ModelSha256(options.model);
  std::vector<NamedPackage> replaced;
  for (const auto& package : packages) {
    const BuiltParts parts{package->plan(), std::string(package->lib()), package->manifest()};
    replaced.push_back({options.package, ReplaceParams(parts, model.typed, options.package, sha256)});
  }
  return replaced.size() == 1 ? replaced[0].bytes : JoinPackages(replaced);
}

}  // namespace

int ReplaceParamsCommand(const Arguments& arguments) {
  CommandLine line("hone package replace-params",
                   "Gives a package other parameters of the same shapes, packed as its build packed the first ones. "
                   "No kernel is compiled.");
  ReplaceParamsOptions options;
  line.Add("PACKAGE", options.package, "a package that `hone build` wrote").Required();
  line.Add("--model", options.model.model, "the model that it was built of, or one that differs in values alone")
      .Required();
  line.Add("--params", options.model.other_values,
           "FILE.safetensors: values by the names that the model has for its parameters; the others stay the model's");
  line.Add("-o,--output", options.output, "the package to write").Required();
  AddModelDetails(line, options.model, "--params-file");
  if (!line.Parse(arguments)) return 0;
  const std::string bytes = Replaced(options);
  Package::InspectBytes(bytes, options.package);
  WriteFileAtomically(options.output, bytes);
  if (line.json()) {
    PrintJson({{"package", options.output}, {"of", options.package}, {"size_bytes", bytes.size()}});
  } else {
    Print("{} written: {}\n", options.output, BytesText(static_cast<int64_t>(bytes.size())));
  }
  line.Next("hone run " + ShellWord(options.output));
  return 0;
}

}  // namespace hone

#include "compiler/replace_params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/model_options.h"
#include "core/error.h"
#include "core/text/printable.h"
#include "lab/files/pack_package.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"
#include "lab/model/model.h"
#include "lab/model/model_kind.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "runtime/package.h"

namespace hone {
namespace {

struct ReplaceParamsOptions {
  std::string package, output;
  ModelOptions model;
};

// The hash of a file that holds all the package's values, or none of them; empty if only some are replaced.
std::string ModelSha256(const ModelOptions& model) {
  const bool is_of_them = model.other_values.empty() || IsRelayFile(model.model);
  return is_of_them ? Sha256OfFile(model.model) : "";
}

BuiltParts PartsOf(const Package& package) {
  return {package.plan(), std::string(package.lib()), std::string(package.params()), package.manifest()};
}

// An .onnx file gets the shapes of the package's inputs unless the user gives some.
ModelOptions WithShapesOf(const Package& package, const ModelOptions& options) {
  if (!options.model.ends_with(".onnx") || !options.shapes.empty() || !options.dims.empty()) return options;
  ModelOptions shaped = options;
  for (const int index : package.plan().inputs) {
    const PlanBuffer& input = package.plan().buffers.at(static_cast<size_t>(index));
    if (!input.shape.empty()) shaped.shapes.push_back(fmt::format("{}={}", input.name, fmt::join(input.shape, ",")));
  }
  return shaped;
}

// The model with the shapes that a package was built for. It is loaded again only if the shapes differ from the
// previous package's.
class ShapedModel {
 public:
  explicit ShapedModel(ModelOptions options) : options_(std::move(options)) {}
  const Model& For(const Package& package) {
    const ModelOptions shaped = WithShapesOf(package, options_);
    if (!model_ || shapes_ != shaped.shapes) model_ = Load(shaped);
    shapes_ = shaped.shapes;
    return *model_;
  }

 private:
  // A model that does not take the package's shapes is another one, unless it has a fault of its own.
  Model Load(const ModelOptions& shaped) const {
    try {
      return LoadModel(shaped);
    } catch (const Error& error) {
      if (shaped.shapes == options_.shapes || error.code() != ExitCode::kBadData) throw;
    }
    LoadModel(options_);
    throw Error(ExitCode::kBadData,
                fmt::format("{} does not take the package's inputs ({}); the model that the package was built from, or "
                            "one that differs in values alone, would be right",
                            options_.model, fmt::join(shaped.shapes, " ")));
  }

  const ModelOptions options_;
  std::vector<std::string> shapes_;
  std::optional<Model> model_;
};

// In a file for several targets or shapes, each package gets the parameters.
std::string Replaced(const ReplaceParamsOptions& options) {
  const auto packages = Package::InspectAll(options.package);
  ShapedModel model(options.model);
  const std::string sha256 = ModelSha256(options.model);
  std::vector<NamedPackage> replaced;
  for (const auto& package : packages) {
    const BuiltParts parts = PartsOf(*package);
    replaced.push_back({options.package, ReplaceParams(parts, model.For(*package).typed, options.package, sha256)});
  }
  return replaced.size() == 1 ? replaced[0].bytes : JoinPackages(replaced);
}

struct Opened {
  std::string bytes;
  OpenedPackage first;  // same for each target, except for what its passes fold
};

Opened OpenAll(const ReplaceParamsOptions& options) {
  const auto packages = Package::InspectAll(options.package);
  ModelOptions with_params = options.model;
  with_params.freeze = false;
  ShapedModel model(with_params);
  Opened opened;
  std::vector<NamedPackage> all;
  for (const auto& package : packages) {
    package->VerifyParams();
    OpenedPackage one = OpenParams(PartsOf(*package), model.For(*package).untyped, options.package);
    all.push_back({options.package, std::move(one.package)});
    if (all.size() == 1) opened.first = std::move(one);
  }
  opened.bytes = all.size() == 1 ? all[0].bytes : JoinPackages(all);
  return opened;
}

}  // namespace

int OpenParamsCommand(const Arguments& arguments) {
  CommandLine line("hone package open-params",
                   "Finds which parameters of its model a package holds as they are, and notes it in the package: "
                   "programs can replace those when they load it.",
                   "hone package open-params model.hone --model model.onnx -o open.hone");
  line.First({"--model", "-o"});
  ReplaceParamsOptions options;
  line.Add("PACKAGE", options.package, "a package that `hone build` wrote").Reads().Required().About(Topic::kPackage);
  line.Add("--model", options.model.model, "the model it was built from").ReadsModel().Required();
  line.Add("-o,--output", options.output, "the package to write").Parsed(RequirePackageName).Writes().Required();
  AddModelDetails(line, options.model, "--params-file");
  if (!line.Parse(arguments)) return 0;
  const Opened opened = OpenAll(options);
  WriteFileAtomically(options.output, opened.bytes);
  if (line.json()) {
    PrintJson({{"package", options.output}, {"open", opened.first.open}, {"closed", opened.first.closed}});
  } else {
    for (const std::string& name : opened.first.open) Print("open    {}\n", name);
    for (const std::string& name : opened.first.closed) Print("closed  {}\n", name);
    Print("{} written: {} of {} can be replaced when it is loaded\n", options.output, opened.first.open.size(),
          Counted(opened.first.open.size() + opened.first.closed.size(), "parameter"));
  }
  line.Next("hone run " + ShellWord(options.output));
  return 0;
}

int ReplaceParamsCommand(const Arguments& arguments) {
  CommandLine line("hone package replace-params",
                   "Gives a package other parameters of the same shapes, packed as its build packed the first ones. "
                   "No kernel is compiled.",
                   "hone package replace-params model.hone --model tuned.onnx -o tuned.hone");
  line.First({"--model", "--params", "-o"});
  ReplaceParamsOptions options;
  line.Add("PACKAGE", options.package, "a package that `hone build` wrote").Reads().Required().About(Topic::kPackage);
  line.Add("--model", options.model.model, "the model it was built from, or one with other values")
      .ReadsModel()
      .Required();
  line.Add("--params", options.model.other_values, "new values by the model's names (.safetensors)")
      .Default("the model's")
      .Reads();
  line.Add("-o,--output", options.output, "the package to write").Parsed(RequirePackageName).Writes().Required();
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

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/command.h"
#include "cli/command_line.h"
#include "compiler/codegen/aot_executor.h"
#include "compiler/codegen/target/machine_target.h"
#include "core/error.h"
#include "core/nth.h"
#include "core/text/printable.h"
#include "lab/files/object_file.h"
#include "lab/files/pack_package.h"
#include "lab/files/read_file.h"
#include "lab/files/safetensors.h"
#include "lab/files/write_file.h"
#include "lab/model/c_header.h"
#include "lab/model/extents.h"
#include "lab/model/model_kind.h"
#include "lab/text/dispatch_table.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "rpc_runner/machine/environment.h"
#include "runtime/load/match_kernels.h"
#include "runtime/package.h"
#include "runtime/ranged_inputs.h"

namespace hone {
namespace {

std::string BufferText(const PlanBuffer& buffer, const std::string& shape) {
  return fmt::format("{} {} {}", buffer.name, shape, DTypeName(buffer.dtype));
}

// By the dimension's name: the least and the most extent.
Json RangesJson(const Package& package) {
  Json ranges = Json::object();
  for (const FreeDimension& each : FreeDimensions(InputSpecs(package))) ranges[each.name] = {each.least, each.most};
  return ranges;
}

Json BuffersJson(const Plan& plan, const std::vector<int>& indices) {
  Json list = Json::array();
  for (const int index : indices) {
    const PlanBuffer& b = plan.buffers.at(static_cast<size_t>(index));
    list.push_back({{"name", b.name}, {"shape", b.shape}, {"dtype", DTypeName(b.dtype)}});
  }
  return list;
}

// "state    past_key_values.0.key 1x3x(past: 0..4096)x64 float32, written in place"
std::string StatesText(const Plan& plan) {
  std::string text;
  size_t number = plan.inputs.size();
  for (const PlanState& state : plan.states) {
    const std::string shape = ShapeTextOf(InputSpecs(plan).at(number++));
    text += fmt::format("state    {}, {}\n", BufferText(Nth(plan.buffers, state.before), shape),
                        state.before == state.after ? "written in place" : "copied");
  }
  return text;
}

Json StatesJson(const Plan& plan) {
  Json list = Json::array();
  for (const PlanState& state : plan.states) {
    Json one = BuffersJson(plan, {state.before})[0];
    one["axis"] = state.axis;
    one["in_place"] = state.before == state.after;
    list.push_back(std::move(one));
  }
  return list;
}

void PrintInfo(const Package& package) {
  const Plan& plan = package.plan();
  Print("model    {}\ntarget   {}\nthreads  {}\n", plan.model, plan.target.ToText(), plan.threads);
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    Print("input    {}\n", BufferText(Nth(plan.buffers, plan.inputs[i]), InputShapeText(plan, i)));
  }
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    Print("output   {}\n", BufferText(Nth(plan.buffers, plan.outputs[i]), OutputShapeText(plan, i)));
  }
  Print("{}", StatesText(plan));
  Print("{}, {}, code {}\n{}\n{}", Counted(plan.calls.size(), "call"), Counted(plan.kernels.size(), "kernel"),
        BytesText(static_cast<int64_t>(package.lib().size())), MemoryText(plan), DispatchText(plan));
}

Json InfoJson(const std::string& path, const Package& package) {
  const Plan& plan = package.plan();
  Json info = {{"package", path},
               {"model", plan.model},
               {"target", plan.target.ToText()},
               {"threads", plan.threads},
               {"inputs", BuffersJson(plan, plan.inputs)},
               {"outputs", BuffersJson(plan, plan.outputs)},
               {"ranges", RangesJson(package)},
               {"dispatch", DispatchJson(plan)},
               {"memory", MemoryJson(plan)},
               {"manifest", package.manifest()}};
  if (!plan.states.empty()) info["states"] = StatesJson(plan);
  return info;
}

using Packages = std::vector<std::shared_ptr<const Package>>;

Json InfosJson(const std::string& path, const Packages& packages) {
  if (packages.size() == 1) return InfoJson(path, *packages[0]);
  Json infos = Json::array();
  for (const auto& package : packages) infos.push_back(InfoJson(path, *package));
  return {{"package", path}, {"packages", infos}};
}

int InfoCommand(const Arguments& arguments) {
  CommandLine line("hone package info", "What is inside a package, whatever its target.",
                   "hone package info model.hone");
  std::string path;
  line.Add("PACKAGE", path, "a package that `hone build` wrote").Reads().Required().About(Topic::kPackage);
  if (!line.Parse(arguments)) return 0;
  const Packages packages = Package::InspectAll(path);
  for (const auto& package : packages) package->VerifyParams();
  if (line.json()) {
    PrintJson(InfosJson(path, packages));
  } else {
    for (size_t i = 0; i < packages.size(); ++i) {
      if (i > 0) Print("\n");
      PrintInfo(*packages[i]);
    }
  }
  const Environment here = ProbeEnvironment();
  const bool runs_here = std::any_of(packages.begin(), packages.end(), [&](const auto& package) {
    return WhyNotOn(here, package->plan().target, 1).empty();
  });
  line.Next(runs_here ? "hone run " + ShellWord(path)
                      : fmt::format("hone package unpack {} -o {}", ShellWord(path), ShellWord(path + ".parts")));
  return 0;
}

int JoinPackagesCommand(const Arguments& arguments) {
  CommandLine line(
      "hone package join",
      "Puts packages of one model for several targets into one file. What loads it takes the best one that "
      "it can run.",
      "hone package join x86.hone arm.hone -o both.hone");
  std::vector<std::string> paths;
  std::string output;
  bool any_model = false;
  line.Add("PACKAGE", paths, "packages of `hone build`, each for another target")
      .Reads()
      .Required()
      .About(Topic::kPackage);
  line.Add("-o,--output", output, "the package to write").Parsed(RequirePackageName).Writes().Required();
  line.AddFlag("--any-model", any_model, "join packages of model files with other names and bytes");
  if (!line.Parse(arguments)) return 0;
  std::vector<NamedPackage> packages;
  for (const std::string& path : paths) packages.push_back({path, ReadFile(path)});
  const std::string bytes = JoinPackages(packages, any_model);
  WriteFileAtomically(output, bytes);
  if (line.json()) {
    PrintJson({{"package", output}, {"of", paths}, {"size_bytes", bytes.size()}});
  } else {
    Print("{} written: {}\n", output, BytesText(static_cast<int64_t>(bytes.size())));
  }
  line.Next("hone package info " + ShellWord(output));
  return 0;
}

// A file for several targets is written as FOLDER/1, FOLDER/2 and so on, in its order.
Json WriteParts(const Packages& packages, const std::string& folder) {
  Json written = Json::array();
  for (size_t i = 0; i < packages.size(); ++i) {
    const Package& package = *packages[i];
    const std::string own = packages.size() == 1 ? folder : fmt::format("{}/{}", folder, i + 1);
    const std::vector<std::pair<std::string, std::string>> parts = {
        {"manifest.json", package.manifest().dump(1) + "\n"},
        {"graph.json", ToJson(package.plan()).dump(1) + "\n"},
        {"lib.so", std::string(package.lib())},
        {"params.safetensors", SafetensorsBytes(package.plan(), package.params())}};
    WriteFilesAtomically(own, parts);
    for (const auto& [name, bytes] : parts)
      written.push_back({{"path", own + "/" + name}, {"size_bytes", bytes.size()}});
  }
  return written;
}

void TellFiles(const std::string& package, const Json& files, bool as_json) {
  if (as_json) return PrintJson({{"package", package}, {"files", files}});
  for (const Json& file : files)
    Print("{}  {}\n", file["path"].get<std::string>(), BytesText(file["size_bytes"].get<int64_t>()));
}

// Throws Error(kUsage) if the packages are not all for one architecture.
std::string TripleOfAll(const Packages& packages, const std::string& path) {
  const auto architecture = [](const std::string& triple) { return triple.substr(0, triple.find('-')); };
  const std::string& first = packages[0]->plan().target.triple;
  for (const auto& package : packages) {
    const std::string& triple = package->plan().target.triple;
    if (architecture(triple) == architecture(first)) continue;
    throw Error(ExitCode::kUsage, fmt::format("{} holds code for {} and {}; an object file is for one architecture",
                                              path, architecture(first), architecture(triple)));
  }
  return first;
}

using NamedParts = std::vector<std::pair<std::string, std::string>>;

NamedParts ForGraphExecutor(const std::string& path, const std::string& name) {
  const Packages packages = Package::InspectAll(path);
  for (const auto& package : packages) package->VerifyParams();
  const std::string bytes = ReadFile(path);
  return {{name + ".h", CHeader(packages[0]->plan(), name, bytes.size())},
          {name + ".o", ObjectFile(TripleOfAll(packages, path), name + "_package", bytes)}};
}

NamedParts ForAotExecutor(const std::string& path, const std::string& name) {
  const Packages packages = Package::InspectAll(path);
  if (packages.size() > 1) {
    throw Error(ExitCode::kUsage, fmt::format("{} is for {}; --executor aot takes a package for one", path,
                                              Counted(packages.size(), "target")));
  }
  const Package& package = *packages[0];
  package.VerifyParams();
  const Plan& plan = package.plan();
  const KernelImage image = ReadKernelImage(package.lib());
  MatchKernels(plan, ReadKernelTable(image.table, path), path);
  return {{name + ".h", AotHeader(plan, name, AotMemoryBytes(plan))},
          {name + ".o", EmitAotObject({plan, image, package.params(), name})}};
}

int ExportCommand(const Arguments& arguments) {
  CommandLine line("hone package export", "Writes a package as a C header and an object file to link into a program.",
                   "hone package export model.hone --c -o include");
  std::string path, folder, name = "model", executor = "graph";
  bool as_c = false;
  line.Add("PACKAGE", path, "a package that `hone build` wrote").Reads().Required().About(Topic::kPackage);
  line.AddFlag("--c", as_c, "write NAME.h and NAME.o, for C and C++");
  line.Add("--executor", executor, "graph needs libhone; aot is one function without it")
      .OneOf({"graph", "aot"})
      .ShowDefault();
  line.Add("--name", name, "prefix of the files and of what they declare").ShowDefault();
  line.Add("-o,--output", folder, "folder to write them to").Parsed(RequireFolderName).WritesInto().Required();
  if (!line.Parse(arguments)) return 0;
  if (!as_c) throw Error(ExitCode::kUsage, "hone package export: no form was given; --c would be right");
  if (!IsCName(name)) {
    throw Error(ExitCode::kUsage,
                fmt::format("--name {} is no name in C; letters, digits and _, no digit first, would be right", name));
  }
  const NamedParts parts = executor == "aot" ? ForAotExecutor(path, name) : ForGraphExecutor(path, name);
  WriteFilesAtomically(folder, parts);
  Json files = Json::array();
  for (const auto& [file, text] : parts) files.push_back({{"path", folder + "/" + file}, {"size_bytes", text.size()}});
  TellFiles(path, files, line.json());
  line.Next("hone package info " + ShellWord(path));
  return 0;
}

int UnpackCommand(const Arguments& arguments) {
  CommandLine line("hone package unpack", "Writes a package's manifest, graph, lib and params as files of their own.",
                   "hone package unpack model.hone -o parts");
  std::string path, folder;
  line.Add("PACKAGE", path, "a package that `hone build` wrote").Reads().Required().About(Topic::kPackage);
  line.Add("-o,--output", folder, "folder to write them to").Parsed(RequireFolderName).WritesInto().Required();
  if (!line.Parse(arguments)) return 0;
  const Packages packages = Package::InspectAll(path);
  for (const auto& package : packages) package->VerifyParams();
  TellFiles(path, WriteParts(packages, folder), line.json());
  line.Next("hone package info " + ShellWord(path));
  return 0;
}

PackageParts ReadParts(const std::string& folder) {
  PackageParts parts;
  constexpr const char* kRight = "the folder that `hone package unpack` wrote would be right";
  std::error_code ignored;
  if (IsThere(folder) && !std::filesystem::is_directory(folder, ignored)) {
    throw Error(ExitCode::kNoInput, fmt::format("{} is a file; {}", folder, kRight));
  }
  if (IsThere(folder) && !IsThere(folder + "/manifest.json")) {
    throw Error(ExitCode::kNoInput, fmt::format("the folder {} has no manifest.json; {}", folder, kRight));
  }
  const auto read = [&](const char* file, std::string& bytes, std::string& name) {
    name = folder + "/" + file;
    bytes = ReadFile(name);
  };
  read("manifest.json", parts.manifest, parts.manifest_name);
  read("graph.json", parts.graph, parts.graph_name);
  read("lib.so", parts.lib, parts.lib_name);
  read("params.safetensors", parts.params, parts.params_name);
  return parts;
}

// An unpacked file for several targets lies in FOLDER/1, FOLDER/2 and so on.
std::string PackFolder(const std::string& folder) {
  if (!IsThere(folder + "/1")) return PackPackage(ReadParts(folder));
  std::vector<NamedPackage> packages;
  for (int i = 1;; ++i) {
    const std::string own = fmt::format("{}/{}", folder, i);
    if (!IsThere(own)) return JoinPackages(packages);
    packages.push_back({own, PackPackage(ReadParts(own))});
  }
}

int PackCommand(const Arguments& arguments) {
  CommandLine line("hone package pack",
                   "Makes a package of what `hone package unpack` wrote: its parameters may be others of the same "
                   "shapes.",
                   "hone package pack parts -o model.hone");
  std::string folder, output;
  line.Add("FOLDER", folder, "folder with manifest.json, graph.json, lib.so and params.safetensors").Reads().Required();
  line.Add("-o,--output", output, "the package to write").Parsed(RequirePackageName).Writes().Required();
  if (!line.Parse(arguments)) return 0;
  const std::string bytes = PackFolder(folder);
  Package::InspectBytes(bytes, folder);
  WriteFileAtomically(output, bytes);
  if (line.json()) {
    PrintJson({{"package", output}, {"of", folder}, {"size_bytes", bytes.size()}});
  } else {
    Print("{} written: {}\n", output, BytesText(static_cast<int64_t>(bytes.size())));
  }
  line.Next("hone package info " + ShellWord(output));
  return 0;
}

}  // namespace

int PackageCommand(const Arguments& arguments) {
  static const std::vector<Command> commands = {
      {"export", "writes a C header and an object file to link", ExportCommand},
      {"info", "shows model, target, inputs, outputs, kernels and memory", InfoCommand},
      {"join", "makes one file of packages for several targets", JoinPackagesCommand},
      {"open-params", "notes which parameters programs can replace", OpenParamsCommand},
      {"pack", "makes a package from what unpack wrote", PackCommand},
      {"replace-params", "writes the same code with other parameters", ReplaceParamsCommand},
      {"unpack", "writes the parts of a package as files", UnpackCommand},
  };
  return RunNamedCommand("hone package", "hone package info model.hone", commands, arguments);
}

}  // namespace hone

#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/files/safetensors.h"
#include "cli/files/write_file.h"
#include "cli/printing/dispatch_table.h"
#include "cli/printing/number_text.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "compiler/codegen/machine_target.h"
#include "core/shell_word.h"
#include "rpc_runner/machine/environment.h"
#include "runtime/package.h"

namespace hone {
namespace {

std::string BufferText(const PlanBuffer& buffer) {
  return fmt::format("{} {} {}", buffer.name, ShapeText(buffer.shape), DTypeName(buffer.dtype));
}

Json BuffersJson(const Plan& plan, const std::vector<int>& indices) {
  Json list = Json::array();
  for (const int index : indices) {
    const PlanBuffer& b = plan.buffers.at(static_cast<size_t>(index));
    list.push_back({{"name", b.name}, {"shape", b.shape}, {"dtype", DTypeName(b.dtype)}});
  }
  return list;
}

void PrintInfo(const Package& package) {
  const Plan& plan = package.plan();
  Print("model    {}\ntarget   {}\nthreads  {}\n", plan.model, plan.target.ToText(), plan.threads);
  for (const int i : plan.inputs) Print("input    {}\n", BufferText(plan.buffers.at(static_cast<size_t>(i))));
  for (const int i : plan.outputs) Print("output   {}\n", BufferText(plan.buffers.at(static_cast<size_t>(i))));
  Print("{} calls, {} kernels, code {}\n{}\n{}", plan.calls.size(), plan.kernels.size(),
        BytesText(static_cast<int64_t>(package.lib().size())), MemoryText(plan), DispatchText(plan));
}

int InfoCommand(const Arguments& arguments) {
  CommandLine line("hone package info", "What is inside a package, whatever its target.");
  std::string path;
  line.Add("PACKAGE", path, "a package that `hone build` wrote").Required();
  if (!line.Parse(arguments)) return 0;
  const auto package = Package::Inspect(path);
  package->VerifyParams();
  const Plan& plan = package->plan();
  if (line.json()) {
    PrintJson({{"package", path},
               {"model", plan.model},
               {"target", plan.target.ToText()},
               {"threads", plan.threads},
               {"inputs", BuffersJson(plan, plan.inputs)},
               {"outputs", BuffersJson(plan, plan.outputs)},
               {"dispatch", DispatchJson(plan)},
               {"memory", MemoryJson(plan)},
               {"manifest", package->manifest()}});
  } else {
    PrintInfo(*package);
  }
  line.Next((WhyNotOn(ProbeEnvironment(), plan.target, 1).empty()
                 ? "hone run " + ShellWord(path)
                 : fmt::format("hone package unpack {} -o {}", ShellWord(path), ShellWord(path + ".parts"))));
  return 0;
}

Json WriteParts(const Package& package, const std::string& folder) {
  const std::vector<std::pair<std::string, std::string>> parts = {
      {"manifest.json", package.manifest().dump(1) + "\n"},
      {"graph.json", ToJson(package.plan()).dump(1) + "\n"},
      {"lib.so", std::string(package.lib())},
      {"params.safetensors", SafetensorsBytes(package.plan(), package.params())}};
  WriteFilesAtomically(folder, parts);
  Json files = Json::array();
  for (const auto& [name, bytes] : parts)
    files.push_back({{"path", folder + "/" + name}, {"size_bytes", bytes.size()}});
  return files;
}

int UnpackCommand(const Arguments& arguments) {
  CommandLine line("hone package unpack", "Writes a package's manifest, graph, lib and params as files of their own.");
  std::string path, folder;
  line.Add("PACKAGE", path, "a package that `hone build` wrote").Required();
  line.Add("-o,--output", folder, "the folder to write them to").Required();
  if (!line.Parse(arguments)) return 0;
  const auto package = Package::Inspect(path);
  package->VerifyParams();
  const Json files = WriteParts(*package, folder);
  if (line.json()) {
    PrintJson({{"package", path}, {"files", files}});
  } else {
    for (const Json& file : files)
      Print("{}  {}\n", file["path"].get<std::string>(), BytesText(file["size_bytes"].get<int64_t>()));
  }
  line.Next("hone package info " + ShellWord(path));
  return 0;
}

}  // namespace

int PackageCommand(const Arguments& arguments) {
  static const std::vector<Command> commands = {
      {"info", "model, target, inputs, outputs, kernels, memory", InfoCommand},
      {"unpack", "graph.json, lib.so, params.safetensors and manifest.json", UnpackCommand},
  };
  return RunNamedCommand("hone package", commands, arguments);
}

}  // namespace hone

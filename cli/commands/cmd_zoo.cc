#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/model_options.h"
#include "compiler/frontend/export/onnx_export.h"
#include "compiler/frontend/zoo/zoo.h"
#include "core/error.h"
#include "core/text/printable.h"
#include "lab/files/write_file.h"
#include "lab/model/model.h"
#include "lab/text/print.h"
#include "lab/text/table.h"

namespace hone {
namespace {

int ListZoo(const CommandLine& line) {
  Json list = Json::array();
  Table table({"network", "what it is"});
  for (const ZooEntry& entry : ZooEntries()) {
    list.push_back({{"name", entry.name}, {"description", entry.description}});
    table.Add({entry.name, entry.description});
  }
  if (line.json()) {
    PrintJson({{"networks", list}});
  } else {
    Print("{}", table.ToText());
  }
  line.Next("hone inspect zoo:resnet-18");
  return 0;
}

int WriteZoo(const CommandLine& line, const ModelOptions& options, const std::string& output) {
  const Model model = LoadModel(options);
  const std::string bytes = ExportOnnxBytes(model.typed);
  WriteFileAtomically(output, bytes);
  if (line.json()) {
    PrintJson({{"network", options.model.substr(4)}, {"path", output}, {"size_bytes", bytes.size()}});
  } else {
    Print("{} written, {} bytes\n", output, bytes.size());
  }
  line.Next("hone tune " + ShellWord(output));
  return 0;
}

}  // namespace

int ZooCommand(const Arguments& arguments) {
  CommandLine line("hone zoo", "Lists the test networks; with a NAME and -o writes one as ONNX with seeded weights.",
                   "hone zoo resnet-18 -o resnet-18.onnx");
  line.First({"-o"});
  ModelOptions options;
  std::string name, output;
  line.Add("NAME", name, "a network").Default("lists them");
  line.Add("-o,--output", output, "the .onnx file to write").Writes();
  AddZooOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  if (name.empty() != output.empty()) {
    throw Error(ExitCode::kUsage, "to write a network, both are needed: hone zoo NAME -o FILE.onnx");
  }
  if (name.empty()) return ListZoo(line);
  options.model = "zoo:" + name;
  return WriteZoo(line, options, output);
}

}  // namespace hone

#include "cli/command_line.h"
#include "cli/machine_options.h"
#include "cli/model_options.h"
#include "cli/quantise_options.h"
#include "core/text/printable.h"
#include "lab/files/write_file.h"
#include "lab/model/model.h"
#include "lab/quantise/quantise_model.h"
#include "lab/text/print.h"

namespace hone {

int QuantizeCommand(const Arguments& arguments) {
  CommandLine line("hone quantize", "Makes an 8-bit ONNX model of a float one, and says what that costs in accuracy.",
                   "hone quantize model.onnx --calibrate images -o model8.onnx");
  line.First({"--calibrate", "-o", "--method", "--max-error", "--threads"});
  ModelOptions model;
  QuantiseOptions options;
  std::string output;
  int threads = 0;
  AddModelOptions(line, model);
  AddQuantiseOptions(line, options);
  AddThreadsOption(line, threads);
  line.Add("-o,--output", output, "the .onnx file to write").Writes().Required();
  if (!line.Parse(arguments)) return 0;
  const QuantisedModel quantised = QuantiseModel(model, options, threads);
  WriteFileAtomically(output, quantised.bytes);
  if (line.json()) {
    PrintJson(QuantisedModelJson(quantised, options, output));
  } else {
    Print("{}", QuantisedModelText(quantised, options, output));
  }
  line.Next("hone tune " + ShellWord(output));
  return 0;
}

}  // namespace hone

#include "cli/input_options.h"

namespace hone {

void AddInputOptions(CommandLine& line, InputOptions& options) {
  line.Add("--input", options.files, "an input, NAME=FILE, from a .npy file or ONNX tensor (.pb)")
      .Reads()
      .About(Topic::kInputs);
  line.Add("--fill", options.fill, "the other inputs: zeros, ones, ramp, random (normal) or uniform")
      .ShowDefault()
      .About(Topic::kInputs);
}

void AddPackageShapeOption(CommandLine& line, InputOptions& options) {
  line.Add("--shape", options.shapes, "which shape of the package to run, as NAME=8,3,224,224").About(Topic::kInputs);
}

}  // namespace hone

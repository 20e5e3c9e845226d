#include "cli/input_options.h"

namespace hone {

void AddInputOptions(CommandLine& line, InputOptions& options) {
  line.Add("--input", options.files, "NAME=FILE: an input from a .npy file or an ONNX tensor (.pb)")
      .Reads()
      .About(Topic::kInputs);
  line.Add("--fill", options.fill, "the other inputs: zeros, ones, ramp (i/n), random (normal) or uniform")
      .ShowDefault()
      .About(Topic::kInputs);
}

void AddPackageShapeOption(CommandLine& line, InputOptions& options) {
  line.Add("--shape", options.shapes, "NAME=8,3,224,224: of a package for several shapes the one to take")
      .About(Topic::kInputs);
}

}  // namespace hone

#include "cli/model_options.h"

namespace hone {

void AddZooOptions(CommandLine& line, ModelOptions& options) {
  line.Add("--batch", options.batch, "batch size of a zoo network")
      .Between(int64_t{1}, int64_t{1} << 20)
      .ShowDefault()
      .About(Topic::kModel);
  line.Add("--classes", options.classes, "number of classes of a zoo network")
      .Default("its own, mostly 1000")
      .Between(int64_t{1}, int64_t{1} << 24)
      .About(Topic::kModel);
  line.Add("--image-shape", options.image_shape, "shape of a zoo network's input without the batch, as 3,224,224")
      .Default("its own")
      .About(Topic::kModel);
  line.Add("--layout", options.layout, "axis order of a zoo network's images")
      .OneOf({"NCHW", "NHWC"})
      .ShowDefault()
      .About(Topic::kModel);
  line.Add("--seed", options.seed, "seed of a zoo network's weights and of everything random").About(Topic::kModel);
}

void AddShapeOptions(CommandLine& line, ModelOptions& options) {
  line.Add("--shape", options.shapes, "shape of an ONNX input, as NAME=1,3,224,224; build takes 1..32")
      .In(OptionGroup::kShapes)
      .About(Topic::kModel);
  line.Add("--dim", options.dims, "free dimension: NAME=LO..HI leaves it to runs, NAME=N fixes it")
      .In(OptionGroup::kShapes)
      .About(Topic::kModel);
  line.Add("--max-dim", options.max_dim, "largest extent that may follow from a runtime value")
      .In(OptionGroup::kShapes)
      .Default("none is allowed")
      .Between(int64_t{1}, int64_t{1} << 24)
      .About(Topic::kModel);
  line.Add("--state", options.states, "auto, none, or INPUT=OUTPUT: an output that the next run reads")
      .In(OptionGroup::kShapes)
      .Default("none")
      .About(Topic::kModel);
  line.Add("--seed-input", options.seed_input, "name of an added int64 input that seeds each run's random numbers")
      .In(OptionGroup::kShapes)
      .Default("--seed seeds all runs")
      .About(Topic::kModel);
  line.Add("--value", options.values, "an ONNX input that always holds this number, as NAME=16000")
      .In(OptionGroup::kShapes)
      .About(Topic::kModel);
}

void AddModelOptions(CommandLine& line, ModelOptions& options, const char* params_option) {
  line.Add("MODEL", options.model, "an .onnx file, a .relay file, or zoo:NAME (`hone zoo` lists them)")
      .ReadsModel()
      .Required()
      .About(Topic::kModel);
  AddModelDetails(line, options, params_option);
}

void AddModelDetails(CommandLine& line, ModelOptions& options, const char* params_option) {
  AddZooOptions(line, options);
  AddShapeOptions(line, options);
  line.Add("--exact-layer", options.exact_layers, "convolution to compute as --math exact does, for extreme data")
      .In(OptionGroup::kPrecision)
      .About(Topic::kModel);
  line.Add(params_option, options.params, "values of a .relay file's parameters and constants (.safetensors)")
      .Reads()
      .About(Topic::kModel);
}

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

void AddPackageDimOption(CommandLine& line, InputOptions& options) {
  line.Add("--dim", options.dims, "extent of a free dimension of the package, as NAME=57")
      .Default("the largest")
      .About(Topic::kInputs);
}

}  // namespace hone

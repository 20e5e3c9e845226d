#include "cli/model_options.h"

namespace hone {

void AddZooOptions(CommandLine& line, ModelOptions& options) {
  line.Add("--batch", options.batch, "batch size of a zoo network")
      .Between(int64_t{1}, int64_t{1} << 20)
      .About(Topic::kModel);
  line.Add("--classes", options.classes, "classes of a zoo network; none: its own, 1000 for most")
      .Between(int64_t{1}, int64_t{1} << 24)
      .About(Topic::kModel);
  line.Add("--image-shape", options.image_shape,
           "one input of a zoo network, without the batch: 3,224,224; in the layout's order; none: its own")
      .About(Topic::kModel);
  line.Add("--layout", options.layout, "axes of a zoo network's images: NCHW, or NHWC of resnet-* and mobilenet*")
      .OneOf({"NCHW", "NHWC"})
      .About(Topic::kModel);
  line.Add("--seed", options.seed, "seed of a zoo network's weights, and of what else the command draws")
      .About(Topic::kModel);
}

void AddShapeOptions(CommandLine& line, ModelOptions& options) {
  line.Add("--shape", options.shapes,
           "NAME=1,3,224,224: the shape of an .onnx file's input; `hone build` takes ranges, NAME=1..32,3,224,224")
      .About(Topic::kModel);
  line.Add("--dim", options.dims,
           "NAME=128: a free dimension of an .onnx file's inputs, wherever the name stands; `hone build` takes ranges")
      .About(Topic::kModel);
  line.Add("--max-dim", options.max_dim,
           "the most elements along an axis of an .onnx file's values that a computed number makes as long as it says; "
           "none: such are refused")
      .Between(int64_t{1}, int64_t{1} << 24)
      .About(Topic::kModel);
  line.Add("--value", options.values, "NAME=16000: an .onnx file's input that always holds this number, as a constant")
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
  line.Add("--exact-layer", options.exact_layers,
           "a convolution whose data may hold NaN, infinities or far larger numbers: as --math exact, of it alone")
      .About(Topic::kModel);
  line.Add(params_option, options.params, "FILE.safetensors: the values of a .relay file's parameters and constants")
      .Reads()
      .About(Topic::kModel);
}

}  // namespace hone

#include "cli/quantise_options.h"

#include <fmt/format.h>

#include "core/error.h"
#include "lab/quantise/image_inputs.h"

namespace hone {
namespace {

void AddImageOptions(CommandLine& line, ImageOptions& options) {
  line.Add("--mean", options.mean, "per-channel mean to subtract from images in 0..1, as 0.485,0.456,0.406")
      .In(OptionGroup::kPrecision)
      .Default("0")
      .About(Topic::kInputs);
  line.Add("--std", options.std, "per-channel deviation to divide images by, as 0.229,0.224,0.225")
      .In(OptionGroup::kPrecision)
      .Default("1")
      .About(Topic::kInputs);
  line.Add("--fit", options.fit, "how images get their size: cover crops them, stretch distorts them")
      .In(OptionGroup::kPrecision)
      .ShowDefault()
      .About(Topic::kInputs);
  line.AddFlag("--bgr", options.bgr, "give the model images in channel order blue, green, red")
      .In(OptionGroup::kPrecision)
      .About(Topic::kInputs);
}

}  // namespace

void AddQuantiseOptions(CommandLine& line, QuantiseOptions& options) {
  line.Add("--calibrate", options.calibrate, "folder of calibration inputs (.npz, .npy, .pb, .jpg, .png), or random")
      .In(OptionGroup::kPrecision)
      .Reads()
      .Required()
      .About(Topic::kInputs);
  line.Add("--samples", options.samples, "number of inputs for --calibrate random")
      .In(OptionGroup::kPrecision)
      .Between(int64_t{1}, int64_t{1} << 20)
      .ShowDefault();
  line.Add("--method", options.method, "how to choose ranges: min-max, percentile, mse or entropy")
      .In(OptionGroup::kPrecision)
      .ShowDefault();
  line.Add("--percentile", options.percentile, "percentage of values that --method percentile keeps, 50 to 100")
      .In(OptionGroup::kPrecision)
      .BetweenReal(50, 100)
      .ShowDefault();
  line.AddFlag("--no-bias-correction", options.no_bias_correction, "do not correct biases for the rounding of weights")
      .In(OptionGroup::kPrecision);
  line.AddFlag("--products", options.products, "also quantise MatMul of two computed values, as in attention")
      .In(OptionGroup::kPrecision);
  line.Add("--max-error", options.max_error, "keep layers in float until max|y-r|/max|r| is at most this")
      .In(OptionGroup::kPrecision)
      .Default("0, which is no limit")
      .BetweenReal(0, 1);
  AddImageOptions(line, options.images);
}

void AddPrecisionOptions(CommandLine& line, PrecisionOptions& options) {
  line.Add("--calibrate", options.calibrate, "folder of calibration inputs (.npz, .npy, .pb, .jpg, .png), or random")
      .Reads()
      .About(Topic::kMath);
  line.Add("--samples", options.samples, "number of inputs for --calibrate random")
      .Between(int64_t{1}, int64_t{1} << 20)
      .ShowDefault()
      .About(Topic::kMath);
  line.Add("--max-error", options.max_error, "largest error of an output, max|y-r|/max|r|")
      .Default("0.01 for auto, none for int8")
      .BetweenReal(0, 1)
      .About(Topic::kMath);
  AddImageOptions(line, options.images);
}

bool ChoosesPrecision(const std::string& precision) { return precision == "int8" || precision == "auto"; }

void CheckPrecisionOptions(const std::string& precision, const PrecisionOptions& options) {
  if (!ChoosesPrecision(precision)) {
    const char* given = !options.calibrate.empty() ? "--calibrate"
                        : options.max_error >= 0   ? "--max-error"
                        : options.images.given()   ? "an option of calibration pictures"
                                                   : nullptr;
    if (given == nullptr) return;
    throw Error(ExitCode::kUsage, fmt::format("{} goes with --precision int8 or auto, not with {}", given, precision));
  }
  if (options.calibrate.empty()) {
    throw Error(ExitCode::kUsage,
                fmt::format("--precision {} needs --calibrate FOLDER with inputs, or --calibrate random", precision));
  }
  CheckImageOptions(options.images, options.calibrate);
  if (precision == "int8" && options.max_error == 0) {
    throw Error(ExitCode::kUsage, "--max-error 0 leaves no layer in int8; right is more than 0, or --precision auto");
  }
}

}  // namespace hone

#include "cli/quantise_options.h"

#include <fmt/format.h>

#include "core/error.h"
#include "lab/quantise/image_inputs.h"

namespace hone {
namespace {

void AddImageOptions(CommandLine& line, ImageOptions& options) {
  line.Add("--mean", options.mean,
           "of pictures (.jpg, .png) among the calibration inputs: what is taken from values between 0 and 1, for each "
           "channel, as 0.485,0.456,0.406; by default 0")
      .About(Topic::kInputs);
  line.Add("--std", options.std, "of pictures: what values are then divided by, as 0.229,0.224,0.225; by default 1")
      .About(Topic::kInputs);
  line.Add("--fit", options.fit, "of pictures: cover keeps proportions and cuts the middle out, stretch does not")
      .ShowDefault()
      .About(Topic::kInputs);
  line.AddFlag("--bgr", options.bgr, "of pictures: the input's first channel is blue").About(Topic::kInputs);
}

}  // namespace

void AddQuantiseOptions(CommandLine& line, QuantiseOptions& options) {
  line.Add("--calibrate", options.calibrate,
           "a folder of inputs (.npz, .npy, .pb, .jpg, .png, or a folder of arrays per sample), or random")
      .Reads()
      .Required()
      .About(Topic::kInputs);
  line.Add("--samples", options.samples, "how many inputs are drawn when they are random")
      .Between(int64_t{1}, int64_t{1} << 20)
      .ShowDefault();
  line.Add("--method", options.method, "how ranges are chosen: min-max, percentile, mse or entropy").ShowDefault();
  line.Add("--percentile", options.percentile, "the share of values that the method percentile keeps")
      .BetweenReal(50, 100)
      .ShowDefault();
  line.AddFlag("--no-bias-correction", options.no_bias_correction,
               "leave biases as they are; by default they take back the mean of what rounding the weights does");
  line.AddFlag("--products", options.products, "MatMul of two computed values, too, as attention has them");
  line.Add("--max-error", options.max_error,
           "leave layers in float until the outputs' max|y-r|/max|r| is at most this; 0: none")
      .BetweenReal(0, 1)
      .ShowDefault();
  AddImageOptions(line, options.images);
}

void AddPrecisionOptions(CommandLine& line, PrecisionOptions& options) {
  line.Add("--calibrate", options.calibrate,
           "with --precision int8 and auto: a folder of inputs (.npz, .npy, .pb, .jpg, .png, or a folder of arrays "
           "per sample), or random")
      .Reads()
      .About(Topic::kMath);
  line.Add("--samples", options.samples,
           "how many inputs --calibrate random draws for ranges; it draws eight more that judge")
      .Between(int64_t{1}, int64_t{1} << 20)
      .ShowDefault()
      .About(Topic::kMath);
  line.Add("--max-error", options.max_error,
           "with --precision int8 and auto: the most that max|y-r|/max|r| of an output may be; by default 0.01 for "
           "auto, for int8 whatever it is")
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

#include "lab/precision/precision_options.h"

#include <fmt/format.h>

#include "core/error.h"

namespace hone {

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

// Formats numbers for people, and parses them from the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/serialize.h"
#include "core/tensor.h"
#include "tuner/record_config_source.h"

namespace hone {

// "812 ns", "12.3 us", "4.56 ms", "1.23 s"; "-" for 0, an unknown time.
std::string TimeText(int64_t ns);
// "812 B", "12.3 KiB", "4.6 MiB", "1.5 GiB".
std::string BytesText(int64_t bytes);
// "3.65 GFLOP", "0.23 MFLOP".
std::string FlopText(double flops);
// "1.23" from flop and nanoseconds as GFLOP/s; "-" if the time is unknown.
std::string GflopsText(double flops, int64_t ns);
// "1.84x", which is before / after; "-" if either is unknown.
std::string RatioText(int64_t before_ns, int64_t after_ns);
// Each part as a whole per cent of their sum. They add up to 100; all are 0 if the sum is 0. No part is below 0.
std::vector<int> Percents(const std::vector<int64_t>& parts);
// A line that explains shares of a roof above 1, "" if none is: `fma` and `memory` are the greatest that are printed.
std::string AboveRoofsText(double fma, double memory = 0);

// Parses "1,3,224,224" as a shape; a dim may be 0. Throws Error(kUsage) with the text and `what`, the option's name.
Shape ParseDims(std::string_view text, std::string_view what);
// Parses "3%" or "0.03" as 0.03. Throws Error(kUsage) on anything outside [0, 1].
double ParseShare(std::string_view text, std::string_view what);

// The expected loss of using a record of another kind of machine: "12.0 % of 14 tasks", or "8.1 %, estimated"; empty if
// there is no loss to print.
std::string LossText(const std::optional<ExpectedLoss>& loss);
// {"share": 0.12, "tasks": 14}; tasks is 0 for an estimate. null if there is no loss to print.
Json LossJson(const std::optional<ExpectedLoss>& loss);

}  // namespace hone

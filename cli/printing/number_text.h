// Numbers as people read them, and as they write them on a command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace hone {

// "812 ns", "12.3 us", "4.56 ms", "1.23 s"; "-" for 0, which stands for a time that is not known.
std::string TimeText(int64_t ns);
// "812 B", "12.3 KiB", "4.6 MiB".
std::string BytesText(int64_t bytes);
// "3.65 GFLOP", "0.23 MFLOP".
std::string FlopText(double flops);
// "1.23" from flop and nanoseconds as GFLOP/s; "-" when the time is not known.
std::string GflopsText(double flops, int64_t ns);
// "1.84x" of before / after; "-" when either is not known.
std::string RatioText(int64_t before_ns, int64_t after_ns);

// "1,3,224,224" as a shape of positive dims. Throws Error(kUsage) naming the text and `what` it was given for.
Shape ParseDims(std::string_view text, std::string_view what);
// "3%" or "0.03" as 0.03. Throws Error(kUsage) on anything that is not in [0, 1].
double ParseShare(std::string_view text, std::string_view what);

}  // namespace hone

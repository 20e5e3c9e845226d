// MelWeightMatrix: triangles over a spectrum's bins, evenly spaced on the mel scale.
#include <fmt/format.h>

#include <cmath>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

constexpr int64_t kMostMelBins = int64_t{1} << 20;

double MelArgument(const OnnxNodeView& view, int input, std::string_view what) {
  const Tensor* value = view.InputValue(input);
  if (value == nullptr || value->elements() != 1) {
    RefuseNode(fmt::format("its {} must be known when the model is imported, and one number", what));
  }
  return value->At(0);
}

double MelOf(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double HertzOf(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

// The spectrum's bins at which the triangles begin, peak and end: triangle i has the bins i, i + 1 and i + 2.
std::vector<int64_t> Corners(const OnnxNodeView& view, int64_t bands, int64_t length) {
  const double rate = MelArgument(view, 2, "sample_rate");
  const double low = MelOf(MelArgument(view, 3, "lower_edge_hertz"));
  const double high = MelOf(MelArgument(view, 4, "upper_edge_hertz"));
  const double step = (high - low) / static_cast<double>(bands + 2);
  std::vector<int64_t> corners;
  for (int64_t i = 0; i < bands + 2; ++i) {
    const double bin =
        std::floor(static_cast<double>(length + 1) * HertzOf(low + static_cast<double>(i) * step) / rate);
    if (!(bin >= 0 && bin <= static_cast<double>(length / 2))) {
      RefuseNode(fmt::format("its edges lie outside the spectrum's bins: bin {} of {}", bin, length / 2 + 1));
    }
    corners.push_back(static_cast<int64_t>(bin));
  }
  return corners;
}

std::vector<relay::ExprPtr> MelWeightMatrix(const OnnxNodeView& view) {
  const double bands_given = MelArgument(view, 0, "num_mel_bins"), length_given = MelArgument(view, 1, "dft_length");
  for (const double given : {bands_given, length_given}) {
    if (!(given >= 1 && given <= kMostMelBins))
      RefuseNode(fmt::format("{} bins; 1 to {} are right", given, kMostMelBins));
  }
  const auto bands = static_cast<int64_t>(bands_given), length = static_cast<int64_t>(length_given);
  const std::vector<int64_t> corners = Corners(view, bands, length);
  view.builder().Spend((length / 2 + 1) * bands * 4);
  Tensor weights(DType::kFloat32, {length / 2 + 1, bands});
  for (int64_t band = 0; band < bands; ++band) {
    const int64_t begin = corners[static_cast<size_t>(band)], peak = corners[static_cast<size_t>(band) + 1],
                  end = corners[static_cast<size_t>(band) + 2];
    const auto share = [](int64_t part, int64_t whole) {
      return static_cast<double>(part) / static_cast<double>(whole);
    };
    for (int64_t bin = begin; bin < peak; ++bin) weights.Set(bin * bands + band, share(bin - begin, peak - begin));
    weights.Set(peak * bands + band, 1);
    for (int64_t bin = peak; bin < end; ++bin) weights.Set(bin * bands + band, share(end - bin, end - peak));
  }
  return {AsDType(view, relay::MakeConstant(std::move(weights)), CastTarget(view.Int("output_datatype", 1)))};
}

}  // namespace

OnnxOperatorTable MelOperators() { return {{"MelWeightMatrix", 5, 5, MelWeightMatrix, {"output_datatype"}}}; }

}  // namespace hone

#include "lab/quantise/image_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/error.h"

namespace hone {
namespace {

using ChannelValues = std::array<double, Image::kChannels>;

ChannelValues ParseChannelValues(const std::string& text, double otherwise, const char* option) {
  ChannelValues values{otherwise, otherwise, otherwise};
  if (text.empty()) return values;
  std::vector<double> given;
  const char *at = text.data(), *end = text.data() + text.size();
  while (true) {
    double value = 0;
    const auto [next, failed] = std::from_chars(at, end, value);
    if (failed != std::errc() || !std::isfinite(value) || (next != end && *next != ',')) break;
    given.push_back(value);
    if (next == end) {
      if (given.size() == 1) return {given[0], given[0], given[0]};
      if (given.size() == Image::kChannels) return {given[0], given[1], given[2]};
      break;
    }
    at = next + 1;
  }
  throw Error(ExitCode::kUsage, fmt::format("{} {}: right are three finite numbers, one for each channel, like "
                                            "0.485,0.456,0.406, or one for all",
                                            option, text));
}

// The channels, rows and columns of an image input, and the position of the channels.
struct PictureAxes {
  int64_t channels = 0, height = 0, width = 0;
  bool last = false;  // whether the channels are the last axis
};

PictureAxes AxesOf(const InputSpec& spec, const std::string& from) {
  const Shape& shape = spec.shape;
  const bool type = spec.dtype == DType::kFloat32 || spec.dtype == DType::kUInt8;
  const auto are_channels = [](int64_t dim) { return dim == 1 || dim == Image::kChannels; };
  if (type && shape.size() == 4 && shape[0] == 1) {
    if (are_channels(shape[1])) return {shape[1], shape[2], shape[3], false};
    if (are_channels(shape[3])) return {shape[3], shape[1], shape[2], true};
  }
  throw Error(ExitCode::kBadData,
              fmt::format("calibration input {}: a picture is for an input of float32 or uint8, 1x3xHxW, 1xHxWx3 or "
                          "with one channel; \"{}\" is {} {}",
                          from, spec.name, ShapeText(shape), DTypeName(spec.dtype)));
}

// The part of an image's side that is mapped to the input's side: [begin, begin + extent).
struct Span {
  double begin, extent;
};

// One pixel of the result: weights of the pixels from `first` on; they sum to 1.
struct PixelTaps {
  int64_t first = 0;
  std::vector<double> weights;
};

// A triangle filter around each result pixel's centre. Its half width is the larger of a source and a result pixel.
std::vector<PixelTaps> TriangleTaps(int64_t from, const Span& span, int64_t to) {
  const double step = span.extent / static_cast<double>(to), reach = std::max(step, 1.0);
  std::vector<PixelTaps> all;
  for (int64_t i = 0; i < to; ++i) {
    const double middle = span.begin + (static_cast<double>(i) + 0.5) * step;
    PixelTaps taps;
    taps.first = std::clamp(static_cast<int64_t>(std::floor(middle - reach)), int64_t{0}, from - 1);
    const int64_t last = std::clamp(static_cast<int64_t>(std::ceil(middle + reach)), taps.first + 1, from);
    double sum = 0;
    for (int64_t p = taps.first; p < last; ++p) {
      taps.weights.push_back(std::max(0.0, 1 - std::abs(static_cast<double>(p) + 0.5 - middle) / reach));
      sum += taps.weights.back();
    }
    for (double& weight : taps.weights) weight /= sum;
    all.push_back(std::move(taps));
  }
  return all;
}

// Crops the centre to the result's proportions, unless the fit is "stretch".
std::array<Span, 2> Spans(const Image& image, const PictureAxes& axes, const std::string& fit) {
  const auto height = static_cast<double>(image.height), width = static_cast<double>(image.width);
  if (fit == "stretch") return {Span{0, height}, Span{0, width}};
  const double scale = std::min(height / static_cast<double>(axes.height), width / static_cast<double>(axes.width));
  const double rows = scale * static_cast<double>(axes.height), columns = scale * static_cast<double>(axes.width);
  return {Span{(height - rows) / 2, rows}, Span{(width - columns) / 2, columns}};
}

// Values of height x width x 3, from 0 to 255.
std::vector<double> Resized(const Image& image, const PictureAxes& axes, const std::string& fit) {
  const auto [rows, columns] = Spans(image, axes, fit);
  const std::vector<PixelTaps> across = TriangleTaps(image.width, columns, axes.width),
                               down = TriangleTaps(image.height, rows, axes.height);
  std::vector<double> narrow(static_cast<size_t>(image.height * axes.width * Image::kChannels));
  for (int64_t y = 0; y < image.height; ++y) {
    for (int64_t x = 0; x < axes.width; ++x) {
      const PixelTaps& taps = across[static_cast<size_t>(x)];
      for (int64_t c = 0; c < Image::kChannels; ++c) {
        double& sum = narrow[static_cast<size_t>((y * axes.width + x) * Image::kChannels + c)];
        for (size_t i = 0; i < taps.weights.size(); ++i) {
          const int64_t pixel = y * image.width + taps.first + static_cast<int64_t>(i);
          sum += taps.weights[i] * image.rgb[static_cast<size_t>(pixel * Image::kChannels + c)];
        }
      }
    }
  }
  const int64_t line = axes.width * Image::kChannels;
  std::vector<double> small(static_cast<size_t>(axes.height * line));
  for (int64_t y = 0; y < axes.height; ++y) {
    const PixelTaps& taps = down[static_cast<size_t>(y)];
    for (size_t i = 0; i < taps.weights.size(); ++i) {
      const int64_t row = taps.first + static_cast<int64_t>(i);
      for (int64_t k = 0; k < line; ++k) {
        small[static_cast<size_t>(y * line + k)] += taps.weights[i] * narrow[static_cast<size_t>(row * line + k)];
      }
    }
  }
  return small;
}

double Luma(const double* rgb) { return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]; }

}  // namespace

void CheckImageOptions(const ImageOptions& options, const std::string& calibrate) {
  ParseChannelValues(options.mean, 0, "--mean");
  for (const double value : ParseChannelValues(options.std, 1, "--std")) {
    if (value <= 0) throw Error(ExitCode::kUsage, fmt::format("--std {}: right are numbers above 0", options.std));
  }
  if (options.fit != "cover" && options.fit != "stretch") {
    throw Error(ExitCode::kUsage, fmt::format("--fit {}: right are cover and stretch", options.fit));
  }
  if (options.given() && calibrate == "random") {
    throw Error(ExitCode::kUsage, "--mean, --std, --fit and --bgr are for images; --calibrate random has none");
  }
}

Tensor ImageInput(const Image& image, const InputSpec& spec, const ImageOptions& options, const std::string& from) {
  const PictureAxes axes = AxesOf(spec, from);
  const ChannelValues mean = ParseChannelValues(options.mean, 0, "--mean"),
                      deviation = ParseChannelValues(options.std, 1, "--std");
  const std::vector<double> pixels = Resized(image, axes, options.fit);
  Tensor input(spec.dtype, spec.shape);
  const int64_t plane = axes.height * axes.width;
  for (int64_t p = 0; p < plane; ++p) {
    const double* rgb = pixels.data() + p * Image::kChannels;
    for (int64_t c = 0; c < axes.channels; ++c) {
      const double value = axes.channels == 1 ? Luma(rgb) : rgb[options.bgr ? Image::kChannels - 1 - c : c];
      const auto channel = static_cast<size_t>(c);
      const bool bytes = spec.dtype == DType::kUInt8;
      const double made = bytes ? std::round(value) : (value / 255 - mean[channel]) / deviation[channel];
      input.Set(axes.last ? p * axes.channels + c : c * plane + p, made);
    }
  }
  return input;
}

}  // namespace hone

#include "compiler/ops/conv/op_reference.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/machine/available_threads.h"

namespace hone::relay {
namespace {

constexpr int64_t kTile = 16;      // output pixels per panel
constexpr int64_t kRegisters = 4;  // pixels, and channels, in the inner loop's registers
constexpr double kThreadFlops = 2e7;

// The convolution of one group of one image.
struct Problem {
  const float* data;
  const float* weight;
  float* out;
  const ConvGeometry* geometry;
  int64_t channels, planes, height, width;        // of the group's input
  int64_t outputs, kernel_d, kernel_h, kernel_w;  // of the group's weight
  int64_t out_d, out_h, out_w;

  int64_t depth() const { return channels * kernel_d * kernel_h * kernel_w; }
  int64_t pixels() const { return out_d * out_h * out_w; }
};

// A tap of a channel's filter.
struct Tap {
  int64_t d, h, w;
};

// The input element that a tap of channel c reads for an output pixel; zero in the padding.
double Seen(const Problem& p, int64_t c, const Tap& tap, int64_t pixel) {
  const ConvGeometry& g = *p.geometry;
  const int64_t d = pixel / (p.out_w * p.out_h) * g.depth_stride - g.front + tap.d * g.depth_dilation;
  const int64_t h = pixel / p.out_w % p.out_h * g.strides[0] - g.padding[0] + tap.h * g.dilation[0];
  const int64_t w = pixel % p.out_w * g.strides[1] - g.padding[1] + tap.w * g.dilation[1];
  if (d < 0 || d >= p.planes || h < 0 || h >= p.height || w < 0 || w >= p.width) return 0;
  return p.data[((c * p.planes + d) * p.height + h) * p.width + w];
}

// panel[depth][kTile]: the inputs of a tile's pixels. Pixels past the last are zeros.
void FillPanel(const Problem& p, int64_t first, std::vector<double>& panel) {
  panel.assign(static_cast<size_t>(p.depth() * kTile), 0);
  const int64_t count = std::min(kTile, p.pixels() - first);
  double* row = panel.data();
  const int64_t plane = p.kernel_h * p.kernel_w, filter = p.kernel_d * plane;
  for (int64_t k = 0; k < p.depth(); ++k, row += kTile) {
    const Tap tap{k % filter / plane, k % plane / p.kernel_w, k % p.kernel_w};
    for (int64_t i = 0; i < count; ++i) row[i] = Seen(p, k / filter, tap, first + i);
  }
}

// sums[channel][pixel] of kRegisters x kRegisters, over the full depth.
void MultiplyBlock(const float* const* weights, const double* panel, int64_t depth,
                   double sums[kRegisters][kRegisters]) {
  double acc[kRegisters][kRegisters] = {};
  for (int64_t k = 0; k < depth; ++k, panel += kTile) {
    for (int64_t o = 0; o < kRegisters; ++o) {
      const double w = weights[o][k];
      for (int64_t i = 0; i < kRegisters; ++i) acc[o][i] += w * panel[i];
    }
  }
  std::copy(&acc[0][0], &acc[0][0] + kRegisters * kRegisters, &sums[0][0]);
}

// Computes `channels` <= kRegisters output channels from `first_out` on.
void MultiplyChannels(const Problem& p, const std::vector<double>& panel, int64_t first_out, int64_t first_pixel) {
  const int64_t channels = std::min(kRegisters, p.outputs - first_out);
  const float* weights[kRegisters];
  // Channels past the last one compute it again and are not stored.
  for (int64_t o = 0; o < kRegisters; ++o) {
    weights[o] = p.weight + (first_out + std::min(o, channels - 1)) * p.depth();
  }
  double sums[kRegisters][kRegisters];
  const int64_t pixels = std::min(kTile, p.pixels() - first_pixel);
  for (int64_t i = 0; i < pixels; i += kRegisters) {
    MultiplyBlock(weights, panel.data() + i, p.depth(), sums);
    for (int64_t o = 0; o < channels; ++o) {
      float* to = p.out + (first_out + o) * p.pixels() + first_pixel + i;
      for (int64_t j = 0; j < std::min(kRegisters, pixels - i); ++j) to[j] = static_cast<float>(sums[o][j]);
    }
  }
}

void ComputeTile(const Problem& p, int64_t first_pixel, std::vector<double>& panel) {
  FillPanel(p, first_pixel, panel);
  for (int64_t o = 0; o < p.outputs; o += kRegisters) MultiplyChannels(p, panel, o, first_pixel);
}

// Runs tile(i) for i in [0, count), on two threads if `parallel`.
template <typename Body>
void ForEachTile(int64_t count, bool parallel, Body body) {
  if (!parallel) return body(0, count);
  ForEachOnThreads(2, 2, [&](size_t half) { half == 0 ? body(0, count / 2) : body(count / 2, count); });
}

// Depth (1 if there is none), height and width.
std::array<int64_t, 3> Space(const Shape& shape) {
  const size_t rank = shape.size();
  return {rank == 5 ? shape[2] : 1, shape[rank - 2], shape[rank - 1]};
}

int64_t Volume(const std::array<int64_t, 3>& space) { return space[0] * space[1] * space[2]; }

Problem ProblemOf(const Tensor& data, const Tensor& weight, const ConvGeometry& geometry, Tensor& result,
                  int64_t index) {
  const auto in = Space(data.shape()), kernel = Space(weight.shape()), out = Space(result.shape());
  const int64_t channels = weight.shape()[1], outputs = weight.shape()[0] / geometry.groups;
  return {data.data<float>() + index * channels * Volume(in),
          weight.data<float>() + index % geometry.groups * outputs * channels * Volume(kernel),
          result.data<float>() + index * outputs * Volume(out),
          &geometry,
          channels,
          in[0],
          in[1],
          in[2],
          outputs,
          kernel[0],
          kernel[1],
          kernel[2],
          out[0],
          out[1],
          out[2]};
}

}  // namespace

Tensor ConvReference(const Tensor& data, const Tensor& weight, const ConvGeometry& geometry, const Shape& out) {
  Tensor result(DType::kFloat32, out);
  const int64_t tiles = (Volume(Space(out)) + kTile - 1) / kTile;
  const int64_t problems = data.shape()[0] * geometry.groups;
  const int64_t depth = weight.shape()[1] * Volume(Space(weight.shape()));
  const double flops = 2.0 * static_cast<double>(result.elements()) * static_cast<double>(depth);
  ForEachTile(problems * tiles, flops > kThreadFlops, [&](int64_t begin, int64_t end) {
    std::vector<double> panel;
    for (int64_t i = begin; i < end; ++i) {
      ComputeTile(ProblemOf(data, weight, geometry, result, i / tiles), i % tiles * kTile, panel);
    }
  });
  return result;
}

Tensor ByteConvReference(const Tensor& data, const Tensor& weight, const ConvGeometry& geometry, const Shape& out) {
  const Shape &x = data.shape(), &w = weight.shape();
  const int64_t group_out = out[1] / geometry.groups;
  Tensor sums(DType::kInt32, out);
  int32_t* sum = sums.data<int32_t>();
  const auto byte = [&data, is_signed = data.dtype() == DType::kInt8](int64_t i) {
    return is_signed ? int32_t{data.data<int8_t>()[i]} : int32_t{data.data<uint8_t>()[i]};
  };
  for (int64_t at = 0; at < sums.elements(); ++at) {
    const int64_t ow = at % out[3], oh = at / out[3] % out[2], o = at / (out[3] * out[2]) % out[1];
    const int64_t n = at / (out[3] * out[2] * out[1]);
    for (int64_t tap = 0; tap < w[1] * w[2] * w[3]; ++tap) {
      const int64_t kw = tap % w[3], kh = tap / w[3] % w[2], c = o / group_out * w[1] + tap / (w[3] * w[2]);
      const int64_t h = oh * geometry.strides[0] - geometry.padding[0] + kh * geometry.dilation[0];
      const int64_t v = ow * geometry.strides[1] - geometry.padding[1] + kw * geometry.dilation[1];
      if (h < 0 || h >= x[2] || v < 0 || v >= x[3]) continue;
      sum[at] +=
          byte(((n * x[1] + c) * x[2] + h) * x[3] + v) * int32_t{weight.data<int8_t>()[o * w[1] * w[2] * w[3] + tap]};
    }
  }
  return sums;
}

Tensor ConvTransposeReference(const Tensor& data, const Tensor& weight, const ConvGeometry& geometry,
                              const Shape& out) {
  const auto in = Space(data.shape()), taps = Space(weight.shape()), to = Space(out);
  const int64_t inputs = data.shape()[1], each = weight.shape()[1];
  const std::array<int64_t, 3> strides{geometry.depth_stride, geometry.strides[0], geometry.strides[1]};
  const std::array<int64_t, 3> dilation{geometry.depth_dilation, geometry.dilation[0], geometry.dilation[1]};
  const std::array<int64_t, 3> cut{geometry.front, geometry.padding[0], geometry.padding[1]};
  std::vector<double> sums(static_cast<size_t>(ElementCount(out)), 0);
  const float* x = data.data<float>();
  for (int64_t i = 0; i < data.elements(); ++i) {
    const int64_t c = i / Volume(in) % inputs, n = i / Volume(in) / inputs;
    const std::array<int64_t, 3> at{i / (in[2] * in[1]) % in[0], i / in[2] % in[1], i % in[2]};
    const float* w = weight.data<float>() + c * each * Volume(taps);
    for (int64_t o = 0; o < each; ++o) {
      double* image = sums.data() + (n * out[1] + c / (inputs / geometry.groups) * each + o) * Volume(to);
      for (int64_t k = 0; k < Volume(taps); ++k, ++w) {
        const std::array<int64_t, 3> tap{k / (taps[2] * taps[1]), k / taps[2] % taps[1], k % taps[2]};
        int64_t place = 0;
        bool inside = true;
        for (size_t d = 0; d < 3; ++d) {
          const int64_t position = at[d] * strides[d] - cut[d] + tap[d] * dilation[d];
          inside = inside && position >= 0 && position < to[d];
          place = place * to[d] + position;
        }
        if (inside) image[place] += static_cast<double>(x[i]) * static_cast<double>(*w);
      }
    }
  }
  Tensor result(DType::kFloat32, out);
  std::transform(sums.begin(), sums.end(), result.data<float>(), [](double sum) { return static_cast<float>(sum); });
  return result;
}

}  // namespace hone::relay

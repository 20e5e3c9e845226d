// The passes on quantised models (QDQ): from floats with scales to kernels of bytes, in the order in which they run.
#pragma once

#include <vector>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/expr.h"

namespace hone {

// A quantised model computes with its integers, and multiplies by their scales afterwards. In a QDQ model,
// DequantizeLinear multiplies integers by scales before each convolution, and QuantizeLinear divides the result by
// another scale. If x and w are integers and every partial sum is exact, conv(x * s, w * t) equals
// conv(x, w) * (s * t). The pass marks such a convolution as integral, so that no schedule or pass makes it inexact.
// Between two convolutions one multiplication, one rounding and two bounds are left. Casts to 8 bits and back are
// dropped:
//
//    x * s --+
//             conv -> divide by u -> round -> clip -> cast(int8) -> cast(float32) -> * u -> conv ...
//    w * t --+
//    becomes
//    x, w -> conv (integral) -> * (s * t / u) -> round -> clip -> conv (integral) ...
relay::IRModule LiftScales(const relay::IRModule& module);

// Moves scales behind convolutions, nn.dense, nn.batch_matmul, biases, relu, pools and reshapes of integers; joins two
// scales into one.
const std::vector<Rule>& ScaleRules();
// Drops operators that change no integer: casts to 8 bits and back, zero points added and subtracted, and quantising
// again with the same scale.
const std::vector<Rule>& WholeNumberRules();

// Quantising a concatenation becomes quantising its parts, in the kernels of the products that make them. If the parts
// have different scales, their concatenation holds floats that a kernel of its own reads and rounds again. By part, the
// rounding goes into the products' epilogues, and bytes are concatenated:
//
//    a * sa -> round -> * sa'  --+
//                                 concatenate -> divide by u -> round -> clip
//    b * sb -> round -> * sb'  --+
//    becomes
//    a * sa -> round -> * (sa' / u) -> round -> clip --+
//                                                       concatenate
//    b * sb -> round -> * (sb' / u) -> round -> clip --+
//
// One multiplication then leads from a part's steps to those of the whole, if it gives each of the 256 values the same
// result. So the bits stay the same. A float32 concatenation of images is read by only one chain: a multiple by a
// number, rounded, perhaps shifted, and clipped. It becomes the concatenation of that chain on each part.
relay::IRModule SinkRequantise(const relay::IRModule& module);

// Quantised values are stored in 8 bits, and their convolutions and dense layers multiply bytes. LiftScales leaves
// integers in float32. If an integer is known to lie in [low, low + 255], it is stored as uint8, value - low. Every
// reader adds low again; low is the negated zero point. Products read 8-bit integers of the graph, such as its inputs,
// in the same way.
//
// An integral nn.conv2d or nn.dense of such data with int8 weights becomes one of uint8 and int8 with int32 sums. For
// stored bytes q, the sum of (q + low) * w has two terms: the sum of q * w, and low * (the sum of w). The latter term
// goes into its bias. An integral nn.batch_matmul of two such values takes both zero points as an operand. The graph's
// values stay the same:
//
//    round -> clip [-128, 127] -> conv (integral)
//    becomes
//    round -> clip -> add 128 -> cast(uint8) -> conv of bytes -> bias_add(-128 * sum of w) -> cast(float32)
relay::IRModule StoreBytes(const relay::IRModule& module);

// The first step of StoreBytes. Each integral nn.dense of one row of bytes with constant int8 weights becomes a
// pointwise nn.conv2d between reshapes, on a 1x1 image. The elementwise operators behind it move before the reshape
// back, because kernels of bytes work on images:
//
//    dense -> multiply -> round    becomes    reshape -> conv2d 1x1 -> multiply -> round -> reshape
relay::IRModule DenseAsConv(const relay::IRModule& module);

// An elementwise function from one tensor of bytes to bytes becomes a table. Between two values of 8 bits, a quantised
// model computes SiLU as x * sigmoid(x); HardSwish as x * clip(x / 6 + 0.5, 0, 1). Such a function has only 256
// results. The table holds the results of the operators' definitions, applied one after the other, as ONNX defines it:
//
//    bytes -> cast -> * s -> sigmoid -> multiply -> divide -> round -> clip -> cast -> bytes
//    becomes
//    bytes -> byte_table -> bytes
//
// Makes a byte_table of each 8-bit value that elementwise operators and scalars compute from one 8-bit tensor of the
// same shape. Values of float32 that are rounded and bounded to the range of 8 bits count as such a tensor; they are
// cast first. Values that are only scaled, shifted, rounded and bounded stay, because they are part of a product's
// kernel. Values in between become bytes if they have an 8-bit tensor of their own as source.
relay::IRModule TabulateBytes(const relay::IRModule& module);

// Filter taps of one or two channels of bytes become channels. Kernels of bytes multiply four neighbouring input
// channels at a time, in one dot product (vpdpbusd, sdot) or in two steps of it (vpmaddubsw). With one channel, three
// of the four are empty. This pass fills them with copies of the image, each moved by one more tap:
//
//    x        a b c d e f g        5 taps at "c":  w0 w1 w2 w3 w4
//    channel  0 a b c d                       =    w0          w4
//             1 b c d e                          +    w1        0
//             2 c d e f                          +       w2     0
//             3 d e f g                          +          w3  0
//                                  of 2 steps, the second one 4 to the right
//
// The products are the same integers, and so is their sum. Each nn.conv2d of bytes (uint8 data, constant int8 weights,
// one group) with one or two input channels becomes one of four. The taps of the axis on which fewer taps remain become
// channels; the border along that axis becomes an nn.pad.
relay::IRModule TapsAsChannels(const relay::IRModule& module);

}  // namespace hone

// The passes on graphs of any kind. Those of convolutions, quantised graphs, fusion and layouts are in the folders.
#pragma once

#include "compiler/relay/expr.h"
#include "core/machine/target.h"

namespace hone {

// Values that the module binds to parameters become Constants. Main keeps the parameters without a bound value; the
// result binds none. Throws Error(kBadData) when a value's shape or dtype is not its parameter's.
relay::IRModule BindParams(const relay::IRModule& module);

// Returns main without calls of functions: each call becomes the function's body on the call's arguments. Attributes of
// the functions are lost, so this pass runs before functions are formed for kernels. The module needs its types, which
// stay.
relay::IRModule InlineFunctions(const relay::IRModule& module);

// Tensors without elements become constants, so that no kernel meets one. A tensor with a dimension of 0 has only one
// value, so every expression of such a type becomes a constant, including an input. A concatenation drops such fields.
// Any other operator that reads one (a sum, whose value is 0) is computed at compile time. Throws Error(kBadData)
// naming an operator whose result has elements that depend on other data as well, such as an element taken from an
// empty tensor.
relay::IRModule DropEmpty(const relay::IRModule& module);

// Each nn.dense of float32 whose weights are an unpack_blocks of constants, perhaps transposed twice, becomes
// nn.dense_blocks of these constants. Weights that anything else reads are unpacked when constants are folded.
relay::IRModule DenseOfBlocks(const relay::IRModule& module);

// Operators that differ between training and inference take their form at inference. nn.dropout becomes its input. The
// first item of nn.batch_norm becomes a multiplication and an addition by values per channel, of shape (C,1,...,1).
// They are constants if the statistics are; otherwise the graph computes them.
relay::IRModule SimplifyInference(const relay::IRModule& module);

// Scales and shifts per channel after a convolution or a dense layer go into its weights and bias. Folds any chain of
// multiply, divide, add and subtract by constants per output channel, in any order. The chain follows an nn.conv2d or
// nn.dense with constant weights, and perhaps an nn.bias_add with a constant. The layer's own result must have no other
// reader, because the layer's weights change.
relay::IRModule FoldBatchNorm(const relay::IRModule& module);

// Transposes sink until they meet their inverse, as in models that keep channels last. A transpose of a transpose
// becomes one. An operator on a transposed tensor becomes the transpose of that operator on the original tensor. This
// holds for elementwise operators, and for broadcasts with constants or with less than half as many elements. It also
// holds for nn.bias_add, nn.prelu, nn.pad, reductions, softmax, concatenations, splits, slices and takes.
//
//    transpose -> conv -> transpose -> add -> relu -> transpose -> conv -> transpose
//    becomes
//    transpose -> conv -> add -> relu -> conv -> transpose
//
// A transpose that moves only axes of one element becomes a reshape. Returns the module as it was if this does not
// reduce the number of transposed elements.
relay::IRModule SinkTransposes(const relay::IRModule& module);

// Operators on a concatenation move to its parts, whose kernels can fuse them. Moves float32 elementwise operators of
// one argument on a concatenation that nothing else reads, and a constant bias if the concatenation is along channels.
//
//    concat(a, b) -> relu   becomes   concat(relu(a), relu(b))
relay::IRModule SinkConcats(const relay::IRModule& module);

// Growing lists of channels are extended, not copied. The first inputs of one concatenation may be all inputs of
// another along the same axis. The first one then takes the other's result instead, so that each input has one place in
// memory:
//
//    concat(a, b) and concat(a, b, c)   becomes   concat(a, b) and concat(concat(a, b), c)
relay::IRModule NestConcats(const relay::IRModule& module);

// The front of a network with many images runs a few images at a time. The values between its layers then stay in the
// caches.
//
//    batch of 8:   conv -> conv -> pool -> rest
//    becomes       images 0..3: conv -> conv -> pool --+
//                  images 4..7: conv -> conv -> pool --+-> concatenate -> rest
//
// The front holds operators whose inputs and result exceed half of the machine's last-level cache (times its threads),
// and everything before them. It is computed for as many images at a time as fit, at least one, and the results are
// joined along the batch. The front ends at one value that all later ones depend on. It holds only operators that treat
// images alike: convolutions, pools, elementwise operators and those between them. Other operators leave the module as
// it was.
relay::IRModule SplitBatch(const relay::IRModule& module, const MachineModel& machine);

// Values of a model's float16 and bfloat16 are moved as such, in 2 bytes. Operators that only move elements lie between
// casts to float32 and back, because kernels compute with float32.
//
//    cast(float32) -> transpose -> concatenate -> cast(float16)
//    becomes
//    transpose -> concatenate
//
// A move is of the 16-bit type if all that it moves has numbers of the type and memory is saved. It may also move
// computed values that all its readers round to the type; they are then rounded before. Constants that the type holds
// exactly become of the type where moves or elementwise operators read them. Numbers and results stay the same. A
// module without casts between float32 and a 16-bit type is returned as it is. The module must have its types.
relay::IRModule StoreHalves(const relay::IRModule& module);

// Large constant outputs are computed where that reads far less than a copy of them would. An output that repeats along
// axes becomes a broadcast_to of what repeats. A matrix of two numbers that depend on column - row alone becomes a
// comparison of positions and a choice: identities, triangles and causal masks.
//
//    (512, 512) of ones on the diagonal, else zeros   becomes   where(equal(columns, rows), 1, 0)
relay::IRModule ComputedOutputs(const relay::IRModule& module);

struct BFloatOptions {
  // Keeps float32 weights in the 3x3 convolutions that Winograd's algorithm may compute: it saves more than products of
  // bfloat16 do.
  bool winograd = false;
  // Also rounds values that no kernel stores, including the graph's inputs, for the products that read them.
  bool round_inputs = false;
};

// Values between products are stored as bfloat16, and products read them as such.
//
//    conv -> relu -> conv
//    becomes
//    conv -> relu -> cast(bfloat16) -> conv of bfloat16        the cast fuses into the first kernel
//
// Each nn.conv2d and nn.dense with constant weights reads a value computed in the graph as bfloat16. So do the pools,
// moves and concatenations before it. The weights are bfloat16 too if the channels of a group come in pairs. Depthwise
// convolutions keep float32 weights for their few products. Sums, biases, activations and everything else stay float32.
// A cast makes a value bfloat16 where it is stored, and fuses into the kernel before it; readers cast it back to
// float32. The graph's inputs and results keep their types. Integral products, products marked to keep float32
// (mark_calls.h) and values of other types stay as they are. The module must have its types. Returns the module itself
// when nothing changes.
relay::IRModule StoreBFloat16(const relay::IRModule& module, const BFloatOptions& options);

}  // namespace hone

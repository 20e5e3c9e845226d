// The tables of operators, one per family; op.cc joins them into the registry.
#pragma once

#include "compiler/relay/op.h"

namespace hone::relay {

OpTable ConvOps();               // nn.conv2d, nn.conv3d, and both transposed
OpTable MatmulOps();             // nn.dense, nn.batch_matmul
OpTable NormalizeOps();          // nn.bias_add, nn.batch_norm, nn.lrn, nn.dropout
OpTable UnaryOps();              // nn.relu, sigmoid, exp, clip, ...
OpTable ByteTableOps();          // byte_table
OpTable BitOps();                // bitwise_and, left_shift, ...
OpTable BinaryOps();             // add, multiply, ...; nn.prelu
OpTable CompareOps();            // equal, less, ..., logical_and, ..., where
OpTable SoftmaxOps();            // nn.softmax, nn.log_softmax
OpTable PoolOps();               // nn.max_pool2d, nn.avg_pool3d, ... and the global pools
OpTable ReduceOps();             // mean, sum, prod, max, min
OpTable ArgReduceOps();          // argmax, argmin
OpTable ReshapeOps();            // reshape, squeeze, expand_dims, nn.batch_flatten, shape_of, cast, layout_transform
OpTable RearrangeOps();          // transpose, strided_slice, take, broadcast_to
OpTable SpaceOps();              // nn.depth_to_space, nn.interleave
OpTable GatherOps();             // gather, gather_nd
OpTable ScatterOps();            // scatter_elements, scatter_nd
OpTable RoiAlignOps();           // vision.roi_align
OpTable JoinOps();               // concatenate, split
OpTable PadOps();                // nn.pad
OpTable RecurrentOps();          // nn.recurrent
OpTable TopKOps();               // topk
OpTable CumulativeOps();         // cumsum, cumprod
OpTable GridSampleOps();         // image.grid_sample
OpTable ArgwhereOps();           // argwhere
OpTable NonMaxSuppressionOps();  // vision.all_class_non_max_suppression
OpTable TreeEnsembleOps();       // tree_ensemble

}  // namespace hone::relay

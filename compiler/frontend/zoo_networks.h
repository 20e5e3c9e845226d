// One function per family of zoo networks, each in its file of zoo_networks/. `layers` is one of those in the zoo's
// table.
#pragma once

#include "compiler/frontend/zoo.h"

namespace hone {

// LeNet-300's kin: dense layers alone.
relay::IRModule BuildMlp(const ZooOptions& options);
// Howard et al., "MobileNets", 2017.
relay::IRModule BuildMobilenet(const ZooOptions& options);
// Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", 2018.
relay::IRModule BuildMobilenetV2(const ZooOptions& options);
// He et al., "Identity Mappings in Deep Residual Networks", 2016. Images of at most 32 rows get a 3x3 stem.
relay::IRModule BuildResnet(const ZooOptions& options, int layers);
// Iandola et al., "SqueezeNet", 2016; version 1.0.
relay::IRModule BuildSqueezenet(const ZooOptions& options);
// Simonyan and Zisserman, "Very Deep Convolutional Networks", 2014.
relay::IRModule BuildVgg(const ZooOptions& options, int layers);

}  // namespace hone

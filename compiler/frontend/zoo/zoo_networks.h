// One function per family of zoo networks; those of one kind share a file of zoo/networks/. `layers` is one of the
// numbers in the zoo's table.
#pragma once

#include "compiler/frontend/zoo/zoo.h"

namespace hone {

// Krizhevsky et al., "ImageNet Classification with Deep Convolutional Neural Networks", 2012; in two groups, with local
// response normalisation.
relay::IRModule BuildAlexnet(const ZooOptions& options);
// Redmon and Farhadi, "YOLO9000: Better, Faster, Stronger", 2016: the classifier Darknet-19.
relay::IRModule BuildDarknet(const ZooOptions& options);
// The generator of Radford et al., "Unsupervised Representation Learning with Deep Convolutional Generative Adversarial
// Networks", 2015. (batch, 100) becomes images of image_shape.
relay::IRModule BuildDcgan(const ZooOptions& options);
// Huang et al., "Densely Connected Convolutional Networks", 2016.
relay::IRModule BuildDensenet(const ZooOptions& options, int layers);
// Mnih et al., "Human-level control through deep reinforcement learning", 2015. The classes are actions; no softmax.
relay::IRModule BuildDqn(const ZooOptions& options);
// Szegedy et al., "Going Deeper with Convolutions", 2014, with local response normalisation.
relay::IRModule BuildGooglenet(const ZooOptions& options);
// Ioffe and Szegedy, "Batch Normalization: Accelerating Deep Network Training", 2015.
relay::IRModule BuildInceptionV2(const ZooOptions& options);
// Szegedy et al., "Rethinking the Inception Architecture for Computer Vision", 2015.
relay::IRModule BuildInceptionV3(const ZooOptions& options);
// Hochreiter and Schmidhuber, "Long Short-Term Memory", 1997: image_shape is 1, steps, units. Each step is unrolled,
// with an input and weights of its own. The result is that of the last step, batch x units. No classes.
relay::IRModule BuildLstm(const ZooOptions& options);
// A network like LeNet-300, of dense layers only.
relay::IRModule BuildMlp(const ZooOptions& options);
// Howard et al., "MobileNets", 2017.
relay::IRModule BuildMobilenet(const ZooOptions& options);
// MobileNet with the given percentage of its channels: 25, 50, 75.
relay::IRModule BuildNarrowMobilenet(const ZooOptions& options, int percent);
// MobileNet without the five layers that keep their size; the last block halves the image once more.
relay::IRModule BuildShallowMobilenet(const ZooOptions& options);
// Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", 2018.
relay::IRModule BuildMobilenetV2(const ZooOptions& options);
// He et al., "Identity Mappings in Deep Residual Networks", 2016. Images of at most 32 rows get a 3x3 stem.
relay::IRModule BuildResnet(const ZooOptions& options, int layers);
// Hara et al., "Can Spatiotemporal 3D CNNs Retrace the History of 2D CNNs and ImageNet?", 2018. It has ResNet's units
// over clips, without a pool behind the stem.
relay::IRModule BuildResnet3d(const ZooOptions& options, int layers);
// Zhang et al., "ShuffleNet", 2017; 3 groups.
relay::IRModule BuildShufflenet(const ZooOptions& options);
// Iandola et al., "SqueezeNet", 2016; version 1.0.
relay::IRModule BuildSqueezenet(const ZooOptions& options);
// SqueezeNet's version 1.1: less work for the same accuracy.
relay::IRModule BuildSqueezenet11(const ZooOptions& options);
// Two products of rows, two convolutions each with a softmax along their rows, and a bias and a batch norm in between.
// Input and result are images of image_shape. No classes.
relay::IRModule BuildSynthetic(const ZooOptions& options);
// Simonyan and Zisserman, "Very Deep Convolutional Networks", 2014.
relay::IRModule BuildVgg(const ZooOptions& options, int layers);
// VGG with a batch norm behind each convolution.
relay::IRModule BuildVggBn(const ZooOptions& options, int layers);
// Zeiler and Fergus, "Visualizing and Understanding Convolutional Networks", 2013; 512 channels in the last stages.
relay::IRModule BuildZfnet512(const ZooOptions& options);

}  // namespace hone

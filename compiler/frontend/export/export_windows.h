// Convolutions, pools and batch norms as nodes of ONNX, to which channels come first.
#pragma once

#include <string>
#include <vector>

#include "compiler/frontend/export/onnx_writer.h"

namespace hone {

// Throws Error(kBadData): the call has no ONNX form, and why.
[[noreturn]] void RefuseExport(const relay::Call& call, const std::string& why);
// The names of the call's arguments, those of a tuple one by one.
std::vector<std::string> ExportedArgs(const OnnxWriter& writer, const relay::Call& call);

// Each adds the node of a call, and transposes around it where its channels come last; `result` is the name of what
// they make. Throws as RefuseExport does.
// nn.conv2d, nn.conv3d; `bias` names one value per output channel, or is empty.
void ExportConv(OnnxWriter& writer, const relay::Call& call, const std::string& result, const std::string& bias);
void ExportConvTranspose(OnnxWriter& writer, const relay::Call& call, const std::string& result);
void ExportBatchNorm(OnnxWriter& writer, const relay::Call& call, const std::string& result);
// Of images and of volumes.
void ExportMaxPool(OnnxWriter& writer, const relay::Call& call, const std::string& result);
void ExportAvgPool(OnnxWriter& writer, const relay::Call& call, const std::string& result);
// nn.global_max_pool2d, nn.global_avg_pool2d, nn.global_avg_pool3d.
void ExportGlobalPool(OnnxWriter& writer, const relay::Call& call, const std::string& result);

}  // namespace hone

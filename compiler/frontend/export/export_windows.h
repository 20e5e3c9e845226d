// Convolutions, pools and batch norms as ONNX nodes, whose channels come first.
#pragma once

#include <string>
#include <vector>

#include "compiler/frontend/export/onnx_writer.h"

namespace hone {

// Throws Error(kBadData), which says that the call has no ONNX form, and why.
[[noreturn]] void RefuseExport(const relay::Call& call, const std::string& why);
// The names of the call's arguments; a tuple gives the names of its fields.
std::vector<std::string> ExportedArgs(const OnnxWriter& writer, const relay::Call& call);

// Each function adds a call's node, with transposes around it if its channels come last. `result` is the name of the
// result. Throws as RefuseExport does. ExportConv takes nn.conv2d and nn.conv3d; `bias` names one value per output
// channel, or is empty.
void ExportConv(OnnxWriter& writer, const relay::Call& call, const std::string& result, const std::string& bias);
void ExportConvTranspose(OnnxWriter& writer, const relay::Call& call, const std::string& result);
void ExportBatchNorm(OnnxWriter& writer, const relay::Call& call, const std::string& result);
// For images and volumes.
void ExportMaxPool(OnnxWriter& writer, const relay::Call& call, const std::string& result);
void ExportAvgPool(OnnxWriter& writer, const relay::Call& call, const std::string& result);
// For nn.global_max_pool2d, nn.global_avg_pool2d and nn.global_avg_pool3d.
void ExportGlobalPool(OnnxWriter& writer, const relay::Call& call, const std::string& result);

}  // namespace hone

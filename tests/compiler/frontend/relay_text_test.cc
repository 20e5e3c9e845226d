// Networks as text: printed, parsed and printed again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/frontend/zoo/zoo.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/printer.h"
#include "compiler/relay/structural_equal.h"
#include "compiler/relay/text/parser.h"

namespace hone {
namespace {

// All three forms, with types and without; the parsed graph is the same, with the same values.
void ExpectTheSameAgain(const relay::IRModule& untyped) {
  const relay::IRModule typed = relay::InferType(untyped);
  const std::map<std::string, Tensor> values = relay::NamedValues(typed);
  for (const std::string as : {"module", "fn", "expr"}) {
    const std::string with = relay::ToText(typed, {.types = true, .as = as});
    EXPECT_EQ(relay::ToText(relay::InferParsed(relay::ParseModule(with, "", values)), {.types = true, .as = as}), with);
    const std::string without = relay::ToText(untyped, {.types = false, .as = as});
    EXPECT_EQ(relay::ToText(relay::ParseModule(without, "", values).module, {.types = false, .as = as}), without);
  }
  const relay::IRModule again = relay::InferParsed(relay::ParseModule(relay::ToText(typed), "", values));
  EXPECT_TRUE(relay::StructuralEqual(typed, again));
  EXPECT_EQ(relay::StructuralHash(typed), relay::StructuralHash(again));
}

TEST(RelayText, OfEveryZooNetworkIsReadAsItIsPrinted) {
  for (const ZooEntry& entry : ZooEntries()) {
    SCOPED_TRACE(entry.name);
    // These have hundreds of megabytes of the layers that the smaller ones have too.
    if (entry.name.starts_with("resnet_3d-") && entry.name != "resnet_3d-18" && entry.name != "resnet_3d-50") continue;
    // Most weights of vgg are in its first dense layer, and their number grows with the image.
    const bool is_vgg = entry.name.starts_with("vgg");
    ExpectTheSameAgain(BuildZoo(entry.name, {.image_shape = is_vgg ? Shape{3, 32, 32} : Shape{}}));
  }
}

TEST(RelayText, OfEverySmallModelIsReadAsItIsPrinted) {
  int models = 0;
  for (const auto& file : std::filesystem::directory_iterator(HONE_TEST_DATA "/repro")) {
    SCOPED_TRACE(file.path().string());
    ExpectTheSameAgain(ImportOnnx(file.path().string()).module);
    ExpectTheSameAgain(ImportOnnx(file.path().string(), {.freeze = false}).module);
    ++models;
  }
  EXPECT_GT(models, 20);
}

}  // namespace
}  // namespace hone

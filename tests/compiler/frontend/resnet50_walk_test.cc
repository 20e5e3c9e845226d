#include <gtest/gtest.h>

#include <fstream>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/visitor.h"
#include "tests/compiler/frontend/resnet50_model.h"

namespace hone {
namespace {

std::vector<std::string> ExpectedWalk() {
  std::ifstream in(HONE_TEST_DATA "/resnet50_walk.txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Resnet50Walk, IsTheKnownOne) {
  const OnnxImportResult result = ImportOnnxBytes(MakeResnet50(8).Bytes(), "resnet50");
  std::vector<std::string> walk;
  relay::PostOrderVisit(result.module.main,
                        [&](const relay::ExprPtr& expr) { walk.emplace_back(relay::ExprKindName(expr->kind)); });
  EXPECT_EQ(walk.size(), 294U);
  EXPECT_EQ(walk, ExpectedWalk());
}

}  // namespace
}  // namespace hone

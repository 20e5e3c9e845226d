// Forms that exporters write around dimensions that each run chooses.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/compiler/frontend/made_operators.h"
#include "tests/compiler/frontend/ranged_models.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(RangedExports, ScattersCountFromTheExtentsOfARun) {
  ModelMaker model(18);
  model.Input("x", {-1, -1}).Input("v", {2, -1}).Input("w", {-1, -1}).IntegerInput("p", 7, {-1, 1});
  model.IntegerInput("e", 7, {-1, -1});
  for (const auto& [input, axis, name] : {std::tuple{0, 0, "a"},
                                          {0, 1, "b"},
                                          {1, 1, "b"},
                                          {2, 0, "n"},
                                          {2, 1, "b"},
                                          {3, 0, "n"},
                                          {4, 0, "n"},
                                          {4, 1, "b"}}) {
    Name(model, input, axis, name);
  }
  model.Weight("u", {2}, {50, 60}).Ints("i", {-1, -2, 0, -1}).Ints("rows", {-1, 0});
  for (const auto& [name, parts] : {std::pair{"i", 2}, std::pair{"rows", 1}}) {
    auto& tensors = *model.graph().mutable_initializer();
    auto& tensor = *std::ranges::find_if(tensors, [&](const auto& each) { return each.name() == name; });
    tensor.clear_dims();
    for (const int64_t dim : {2, parts}) tensor.add_dims(dim);
  }
  model.Node("ScatterND", {"x", "i", "u"}, {"points"}).Node("ScatterND", {"x", "rows", "v"}, {"lines"});
  model.Node("ScatterND", {"x", "p", "w"}, {"many"}, {{"reduction", std::string("add")}});
  model.Node("ScatterElements", {"x", "e", "w"}, {"each"}, {{"axis", int64_t{0}}, {"reduction", std::string("add")}});
  for (const char* output : {"points", "lines", "many", "each"}) model.Output(output);
  const std::map<std::string, DimRange> ranges = {{"a", {2, 8}}, {"b", {2, 6}}, {"n", {1, 5}}};
  OnnxImportOptions options;
  options.ranges = ranges;
  RecordMadeOperators(model.Bytes(), ImportOnnxBytes(model.Bytes(), "scatters", options).module);
  ExpectEqualToFixed(model.Bytes(), ranges,
                     {{{"a", 4}, {"b", 2}, {"n", 1}}, {{"a", 5}, {"b", 4}, {"n", 3}}, {{"a", 8}, {"b", 6}, {"n", 5}}});
}

TEST(RangedExports, ASumOfDimensionsTakesTheRangeOfItsParts) {
  ModelMaker model(17);
  model.Input("x", {2, -1}).Input("cache", {2, -1}).Input("mask", {2, -1});
  model.Node("Concat", {"cache", "x"}, {"all"}, {{"axis", int64_t{1}}}).Node("Add", {"all", "mask"}, {"y"});
  for (const auto& [input, name] : {std::pair{0, "seq"}, {1, "past"}, {2, "past + seq"}}) Name(model, input, 1, name);
  model.Output("y");
  const OnnxImportResult result = ImportOnnxBytes(model.Bytes(), "m", {.dims = {{"seq", 3}}});
  EXPECT_EQ(result.module.main->params[2]->type->shape, (Shape{2, 515}));
  EXPECT_THAT(result.notices,
              testing::Contains("input \"mask\": the free dimension past + seq may be 3..515 in a run, as its parts "
                                "together"));
  ModelMaker merged(17);
  merged.Input("cache", {2, -1}).Input("mask", {2, -1}).Node("Relu", {"cache"}, {"y"}).Node("Relu", {"mask"}, {"z"});
  for (const auto& [input, name] : {std::pair{0, "past_length"}, {1, "past_length + 1"}}) Name(merged, input, 1, name);
  merged.Output("y").Output("z");
  EXPECT_THAT(
      ImportOnnxBytes(merged.Bytes(), "m").notices,
      ElementsAre(HasSubstr("past_length may be 0 to 512 in a run"), HasSubstr("past_length + 1 may be 1..513")));
  const OnnxImportResult fixed = ImportOnnxBytes(model.Bytes(), "m", {.dims = {{"seq", 3}, {"past", 4}}});
  EXPECT_EQ(fixed.module.main->params.size(), 3U);
  EXPECT_EQ(fixed.module.main->params[2]->type->shape, (Shape{2, 7}));
  ExpectEqualToFixed(model.Bytes(), {{"seq", {1, 3}}, {"past", {1, 5}}},
                     {{{"seq", 2}, {"past", 5}, {"past + seq", 7}}, {{"seq", 1}, {"past", 1}, {"past + seq", 2}}});
}

}  // namespace
}  // namespace hone

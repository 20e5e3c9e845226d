#include "lab/report/runtime_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace hone {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

Json TimedRuntime(const char* runtime, int64_t ns, bool fastest) {
  return {{"runtime", runtime},
          {"median_ns", ns},
          {"median_ci95_ns", Json::array({ns - 10, ns + 10})},
          {"precision", "float32"},
          {"error", 1e-6},
          {"fastest", fastest},
          {"doubt", ""}};
}

Json OnMachine(const char* name, const Json& hone, const Json& other, const Json& notes) {
  return {{"name", name}, {"runtimes", Json::array({hone, other})}, {"notes", notes}};
}

Json DocumentOfTwo() {
  const Json untimed = {{"runtime", "other"}, {"why_not", "it crashed"}, {"error", "inf"}};
  const Json desk =
      OnMachine("desk", TimedRuntime("hone", 2000, true), TimedRuntime("other", 3000, false), Json::array());
  const Json rack = OnMachine("rack", TimedRuntime("hone", 4000, false), untimed, Json::array({"other: it crashed"}));
  Json document = Json::object();
  document["models"] = Json::array({Json{{"model", "m.onnx"}, {"machines", Json::array({desk, rack})}}});
  return document;
}

TEST(RuntimeTables, HaveARowForEachMachine) {
  const std::string text = ToText(ReadRuntimeTables(DocumentOfTwo()));
  EXPECT_THAT(text, HasSubstr("m.onnx (median, precision, largest error of an output)\n"));
  EXPECT_THAT(text, ContainsRegex("\ndesk +2.000* us, float32, 1e-06 fastest +3.000* us, float32, 1e-06\n"));
  EXPECT_THAT(text, ContainsRegex("\nrack +4.000* us, float32, 1e-06 +not timed\n"));
  EXPECT_THAT(text, HasSubstr("\nrack:\nother: it crashed\n"));
}

TEST(RuntimeTables, AreSectionsWithAChart) {
  Json document = DocumentOfTwo();
  document["models"][0]["model"] = "<m>";
  const std::string html = HtmlSections(ReadRuntimeTables(document));
  EXPECT_THAT(html, HasSubstr("&lt;m&gt;"));
  EXPECT_THAT(html, HasSubstr("not timed"));
  EXPECT_THAT(html, HasSubstr("hone on rack: 4.00"));
  EXPECT_THAT(html, Not(HasSubstr("other on rack")));
}

TEST(RuntimeTables, NamePricesWhereSomeAreGiven) {
  Json document = DocumentOfTwo();
  document["models"][0]["machines"][0]["runtimes"][0]["price_per_million"] = 0.25;
  const std::string text = ToText(ReadRuntimeTables(document));
  EXPECT_THAT(text, HasSubstr("price of a million images"));
  EXPECT_THAT(text, ContainsRegex(", 0.25[0-9]*/M fastest"));
}

TEST(RuntimeTables, RefuseOtherDocuments) {
  EXPECT_THROW(ReadRuntimeTables(Json::object()), Error);
  Json document = DocumentOfTwo();
  document["models"][0]["machines"][1]["runtimes"].erase(1);
  EXPECT_THROW(ReadRuntimeTables(document), Error);
  document = DocumentOfTwo();
  document["models"][0]["machines"][0]["runtimes"][0]["median_ci95_ns"] = Json::array({1});
  EXPECT_THROW(ReadRuntimeTables(document), Error);
  document = DocumentOfTwo();
  document["models"][0]["machines"] = Json::array();
  EXPECT_THROW(ReadRuntimeTables(document), Error);
}

}  // namespace
}  // namespace hone

// The updates that a viewer gets, without repetition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json/serialize.h"
#include "lab/dashboard/dashboard_sections.h"

namespace hone {
namespace {

Json DataOf(const SectionBoard::Update& update) {
  const size_t at = update.text->find("data: ");
  return ParseJson(update.text->substr(at + 6, update.text->size() - at - 8), "an event");
}

TEST(SectionBoard, TellsANewcomerAllAndOthersWhatChanged) {
  SectionBoard board(2);
  board.Put(0, {{"a", "one"}, {"b", "two"}});
  board.Put(1, {{"c", "three"}});
  const SectionBoard::Update all = board.Since(0);
  ASSERT_TRUE(all.text);
  EXPECT_EQ(*all.text,
            "id: 3\nevent: sections\ndata: "
            "{\"order\":[\"a\",\"b\",\"c\"],\"html\":{\"a\":\"one\",\"b\":\"two\",\"c\":\"three\"}}\n\n");
  EXPECT_EQ(all.version, 3);
  EXPECT_EQ(board.Since(all.version).text, nullptr);
  board.Put(0, {{"a", "one"}, {"b", "other"}});
  EXPECT_EQ(DataOf(board.Since(all.version))["html"], Json({{"b", "other"}}));
}

TEST(SectionBoard, IsSilentAboutWhatStaysTheSame) {
  SectionBoard board(1);
  EXPECT_TRUE(board.Put(0, {{"a", "one"}}));
  const int64_t version = board.Since(0).version;
  EXPECT_FALSE(board.Put(0, {{"a", "one"}}));
  EXPECT_EQ(board.Since(version).text, nullptr);
}

TEST(SectionBoard, ReportsOrderAndRemovedSections) {
  SectionBoard board(1);
  board.Put(0, {{"a", "one"}, {"b", "two"}});
  int64_t version = board.Since(0).version;
  EXPECT_TRUE(board.Put(0, {{"b", "two"}, {"a", "one"}}));
  EXPECT_EQ(DataOf(board.Since(version))["order"], Json({"b", "a"}));
  EXPECT_TRUE(DataOf(board.Since(version))["html"].empty());
  version = board.Since(version).version;
  EXPECT_TRUE(board.Put(0, {{"b", "two"}}));
  EXPECT_EQ(DataOf(board.Since(version))["order"], Json({"b"}));
}

// A viewer that was away for a thousand states gets only the newest.
TEST(SectionBoard, KeepsTheNewestStateAlone) {
  SectionBoard board(1);
  board.Put(0, {{"a", "begin"}});
  const int64_t version = board.Since(0).version;
  for (int i = 0; i < 1000; ++i) board.Put(0, {{"a", std::to_string(i)}});
  const SectionBoard::Update update = board.Since(version);
  EXPECT_EQ(DataOf(update)["html"], Json({{"a", "999"}}));
  EXPECT_LT(update.text->size(), 100U);
}

TEST(SectionBoard, SharesOneTextAmongViewersOfTheSameState) {
  SectionBoard board(1);
  board.Put(0, {{"a", "one"}});
  EXPECT_EQ(board.Since(0).text, board.Since(0).text);
}

TEST(SectionBoard, KeepsLineBreaksInsideAnEvent) {
  SectionBoard board(1);
  board.Put(0, {{"a", "one\n\ndata: two\n"}});
  const std::string text = *board.Since(0).text;
  EXPECT_EQ(text.find("\n\n"), text.size() - 2);
  EXPECT_EQ(DataOf(board.Since(0))["html"]["a"], "one\n\ndata: two\n");
  EXPECT_EQ(board.Html(), "<section id=\"a\">one\n\ndata: two\n</section>\n");
}

}  // namespace
}  // namespace hone

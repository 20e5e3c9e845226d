#include "core/index_bounds.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace hone {
namespace {

TEST(IndexBounds, HaveTheirShortestForm) {
  EXPECT_EQ(IndexBounds::Of({7, 7, 7}), (IndexBounds{{7}, 1}));
  EXPECT_EQ(IndexBounds::Of({3, 9, 3, 9}), (IndexBounds{{3, 9}, 1}));
  EXPECT_EQ(IndexBounds::Of({3, 3, 3, 9, 9, 9}), (IndexBounds{{3, 9}, 3}));
  EXPECT_EQ(IndexBounds::Of({3, 3, 9, 9, 3, 3, 9, 9}), (IndexBounds{{3, 9}, 2}));
  EXPECT_EQ(IndexBounds::Of({3, 9, 9}), (IndexBounds{{3, 9, 9}, 1}));
  EXPECT_EQ(IndexBounds::Of(std::vector<int64_t>()), IndexBounds());
}

TEST(IndexBounds, GiveEachElementItsOwn) {
  const std::vector<int64_t> elements = {3, 3, 0, 0, 5, 5, 3, 3, 0, 0, 5, 5};
  const IndexBounds bounds = IndexBounds::Of(elements);
  for (size_t i = 0; i < elements.size(); ++i) EXPECT_EQ(bounds.Of(static_cast<int64_t>(i)), elements[i]) << i;
  EXPECT_EQ(bounds.Least(), 3);
}

TEST(IndexBounds, AreReadFromAManifest) {
  const Json manifest = {{"index_extents", {{"ids", 40}, {"places", 3}}},
                         {"index_columns", {{"places", {{"extents", {5, 3}}, {"run", 2}}}}}};
  const auto of = IndexBoundsOf(manifest);
  EXPECT_EQ(of.at("ids"), (IndexBounds{{40}, 1}));
  EXPECT_EQ(of.at("places"), (IndexBounds{{5, 3}, 2}));
  EXPECT_TRUE(IndexBoundsOf(Json::object()).empty());
}

TEST(IndexBounds, OfADamagedManifestAreRefused) {
  for (const Json& columns :
       {Json{{"places", 3}}, Json{{"places", {{"extents", {5, -3}}, {"run", 1}}}},
        Json{{"places", {{"extents", {5, 3}}, {"run", 0}}}}, Json{{"places", {{"extents", Json::array()}, {"run", 1}}}},
        Json{{"places", {{"run", 1}}}}}) {
    EXPECT_THROW(IndexBoundsOf({{"index_columns", columns}}), Error) << columns;
  }
  EXPECT_THROW(IndexBoundsOf({{"index_extents", {{"ids", 0}}}}), Error);
}

}  // namespace
}  // namespace hone

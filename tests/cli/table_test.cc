#include "cli/printing/table.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace hone {
namespace {

TEST(Table, AlignsNumbersToTheRightAndLeavesNoTrailingSpaces) {
  Table table({"op", "> calls", "note"});
  table.Add({"nn.conv2d", "7", "x"});
  table.Add({"add", "12"});
  EXPECT_EQ(table.ToText(),
            "op         calls  note\n"
            "nn.conv2d      7  x\n"
            "add           12\n");
}

TEST(Table, RefusesARowThatIsTooLong) {
  Table table({"one"});
  EXPECT_THROW(table.Add({"a", "b"}), Error);
}

}  // namespace
}  // namespace hone

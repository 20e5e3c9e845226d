#include "lab/text/table.h"

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

Table WideTable() {
  Table table({"device", "> time", "> of memory", "note"});
  table.Add({"AMD EPYC #1 (vm)", "12.3 us", "7 %", "not compared: 2 threads"});
  table.Add({"left", "1 us", "-", ""});
  return table;
}

TEST(Table, IsLeftAsItIsWhereItFits) {
  const std::string whole = WideTable().ToText();
  EXPECT_EQ(WideTable().ToText(whole.find('\n') + 30), whole);
}

TEST(Table, PutsItsLastTextsBelowTheRows) {
  EXPECT_EQ(WideTable().ToText(40),
            "device               time  of memory\n"
            "AMD EPYC #1 (vm)  12.3 us        7 %\n"
            "  note: not compared: 2 threads\n"
            "left                 1 us          -\n");
}

TEST(Table, PutsWordsOnFurtherLinesAndBreaksNone) {
  EXPECT_EQ(WideTable().ToText(25),
            "device       time      of\n"
            "                   memory\n"
            "AMD EPYC  12.3 us     7 %\n"
            "#1 (vm)\n"
            "  note: not compared: 2 threads\n"
            "left         1 us       -\n");
  EXPECT_EQ(WideTable().ToText(22).substr(0, 22), "device     time     of");
}

}  // namespace
}  // namespace hone

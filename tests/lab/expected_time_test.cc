#include <gtest/gtest.h>

#include "lab/text/dispatch_table.h"

namespace hone {
namespace {

class ExpectedTimeTest : public testing::Test {
 protected:
  // A kernel that is run by `calls` calls.
  void Add(const std::string& op, int calls, int64_t record_ns, double estimate_ns) {
    PlanKernel kernel;
    kernel.dispatch.expected_ns = record_ns;
    PlanCall call;
    call.kernel = static_cast<int>(result_.plan.kernels.size());
    call.op = op;
    result_.plan.kernels.push_back(kernel);
    result_.report.estimate_ns.push_back(estimate_ns);
    result_.plan.calls.insert(result_.plan.calls.end(), static_cast<size_t>(calls), call);
  }
  std::string Text() const { return ExpectedText(ExpectedOf(result_)); }
  BuildResult result_;
};

TEST_F(ExpectedTimeTest, SumsRecordsAndEstimatesOfAllCalls) {
  Add("nn.conv2d", 2, 1'000'000, 7'000'000);
  Add("nn.conv2d_transpose", 1, 0, 40'000'000);
  const ExpectedTime expected = ExpectedOf(result_);
  EXPECT_EQ(expected.recorded_ns, 2'000'000) << "a record comes before the estimate";
  EXPECT_EQ(expected.estimated_ns, 40'000'000);
  EXPECT_EQ(Text(), "expected 42.000 ms a run: 2.000 ms of 2 calls by records, 40.000 ms of 1 call by estimate\n");
  EXPECT_EQ(ExpectedJson(expected)["ns"], 42'000'000);
}

TEST_F(ExpectedTimeTest, NamesWhatItLeavesOut) {
  Add("add", 1, 0, 3000);
  Add("topk", 2, 0, 0);
  EXPECT_EQ(Text(),
            "expected 3.00 us a run: 3.00 us of 1 call by estimate, without 2 calls whose time depends on the data "
            "(topk)\n");
  EXPECT_EQ(ExpectedJson(ExpectedOf(result_))["left_out"], Json::array({"topk"}));
}

TEST_F(ExpectedTimeTest, GivesNoTimeWhereNothingIsKnown) {
  EXPECT_EQ(Text(), "");
  Add("topk", 1, 0, 0);
  EXPECT_EQ(Text(), "expected: nothing is known of 1 call whose time depends on the data (topk)\n");
}

}  // namespace
}  // namespace hone

// Sessions of packages with inputs whose extents the caller chooses for each run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/error.h"
#include "core/random.h"
#include "runtime/hone.h"
#include "runtime/observed_run.h"
#include "runtime/ranged_inputs.h"
#include "runtime/session.h"
#include "tests/runtime/counted_allocations.h"
#include "tests/runtime/test_package.h"

namespace hone {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;

constexpr int64_t kSide = testing::kCountedSide;

Tensor Ramp(const Shape& shape, float first) {
  Tensor tensor(DType::kFloat32, shape);
  for (int64_t i = 0; i < tensor.elements(); ++i) tensor.data<float>()[i] = first + static_cast<float>(i);
  return tensor;
}

// x + b at the first positions, and zeros elsewhere; b is added to every row that the kernel sees.
std::vector<float> Expected(const Tensor& x, const Tensor& b) {
  const int64_t rows = x.shape()[0], columns = x.shape()[1];
  std::vector<float> y(kSide * kSide);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < kSide; ++j) {
      y[static_cast<size_t>(i * kSide + j)] =
          b.data<float>()[i] + (j < columns ? x.data<float>()[i * columns + j] : 0.0F);
    }
  }
  return y;
}

struct Failure {
  ExitCode code = ExitCode::kDone;
  std::string text;
};
Failure FailureOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

class RangedSessionTest : public ::testing::Test {
 protected:
  void ExpectRan(const Tensor& x, const Tensor& b) const {
    const Tensor y = session_.Output(0), seen = session_.Output(1);
    EXPECT_EQ(std::vector<float>(y.data<float>(), y.data<float>() + y.elements()), Expected(x, b));
    EXPECT_EQ(seen.data<int64_t>()[0], x.shape()[0]);
    EXPECT_EQ(seen.data<int64_t>()[1], x.shape()[1]);
  }

  std::shared_ptr<const Package> package_ = Package::FromBytes(testing::RangedPackage(), "ranged");
  Session session_{package_, {.threads = 1}};
};

TEST_F(RangedSessionTest, TakesEveryShapeInRange) {
  for (const Shape& shape :
       {Shape{64, 64}, Shape{5, 7}, Shape{7, 5}, Shape{1, 64}, Shape{64, 1}, Shape{3, 0}, Shape{1, 1}}) {
    const Tensor x = Ramp(shape, 1), b = Ramp({shape[0]}, 1000);
    session_.SetInput("x", x);
    session_.SetInput("b", b);
    session_.Run();
    ExpectRan(x, b);
    session_.Run();  // the inputs stay
    ExpectRan(x, b);
    EXPECT_EQ(session_.InputShape(0), shape);
  }
}

TEST_F(RangedSessionTest, HasTheLargestShapeAtFirst) {
  EXPECT_EQ(session_.InputShape(0), (Shape{64, 64}));
  session_.Run();
  ExpectRan(Tensor(DType::kFloat32, {64, 64}), Tensor(DType::kFloat32, {64}));
}

// The count follows from the shape of x alone, so that no kernel of data runs before it is known.
TEST_F(RangedSessionTest, KnowsCountsOfShapesBeforeARun) {
  Session session(Package::FromBytes(testing::LeftPackage(), "left"), {.threads = 1});
  std::vector<float> y(kSide * kSide, -7);
  session.BindOutput(0, y.data(), y.size() * 4);
  session.SetInput("x", Ramp({9, 64}, 1));
  session.SetInput("b", Ramp({9}, 0));
  const Shape four{4, 64};
  const int64_t before = testing::Allocations();
  EXPECT_EQ(session.ExpectedShape(0), four);
  EXPECT_EQ(testing::Allocations(), before);
  EXPECT_EQ(session.OutputShape(0), (Shape{64, 64}));
  EXPECT_THAT(y, ::testing::Each(-7));
  session.Run();
  EXPECT_EQ(session.OutputShape(0), (Shape{4, 64}));
  EXPECT_EQ(y[0], 1);
  y.assign(y.size(), -7);
  session.SetInput("x", Ramp({3, 64}, 1));
  session.SetInput("b", Ramp({3}, 0));
  const std::string right = "rows - 5 is -2 in a run of rows=3, columns=64; it may be 0 to 64";
  EXPECT_EQ(FailureOf([&] { session.ExpectedShape(0); }).text, right);
  for (int i = 0; i < 2; ++i) {
    const Failure failure = FailureOf([&] { session.Run(); });
    EXPECT_EQ(failure.code, ExitCode::kBadData);
    EXPECT_EQ(failure.text, right);
  }
  EXPECT_THAT(y, ::testing::Each(-7));
}

// A NaN that a run left behind the elements of the next one would spread through products with 0.
TEST_F(RangedSessionTest, LeavesNothingOfLargerInputs) {
  Tensor x = Ramp({64, 64}, 1), b = Ramp({64}, 1);
  for (int64_t i = 0; i < x.elements(); ++i) x.data<float>()[i] = std::numeric_limits<float>::quiet_NaN();
  b.data<float>()[63] = std::numeric_limits<float>::quiet_NaN();
  session_.SetInput("x", x);
  session_.SetInput("b", b);
  session_.Run();
  const Tensor small = Ramp({2, 3}, 1), few = Ramp({2}, 5);
  session_.SetInput("x", small);
  session_.SetInput("b", few);
  session_.Run();
  ExpectRan(small, few);
}

TEST_F(RangedSessionTest, ReadsDenseMemoryOfTheCallerWithoutAllocating) {
  std::vector<float> y(kSide * kSide, -1);
  session_.BindOutput(0, y.data(), y.size() * 4);
  for (const Shape& shape : {Shape{2, 3}, Shape{64, 64}, Shape{9, 1}}) {
    const Tensor x = Ramp(shape, 2), b = Ramp({shape[0]}, 1), one = Ramp({shape[0]}, 3);
    const int64_t before = testing::Allocations();
    session_.SetInputShape(0, shape);
    session_.SetInputShape(1, b.shape());
    session_.BindInput(0, x.raw(), static_cast<size_t>(x.size_bytes()));
    session_.BindInput(1, b.raw(), static_cast<size_t>(b.size_bytes()));
    session_.Run();
    EXPECT_EQ(testing::Allocations(), before);
    EXPECT_EQ(y, Expected(x, b));
    // Memory that the session gave is read in place of the caller's.
    std::memcpy(session_.InputData(1), one.raw(), static_cast<size_t>(one.size_bytes()));
    session_.Run();
    EXPECT_EQ(y, Expected(x, one));
  }
}

TEST_F(RangedSessionTest, RefusesWhatIsOutOfRange) {
  const Failure rows = FailureOf([&] { session_.SetInput("x", Tensor(DType::kFloat32, {65, 2})); });
  EXPECT_EQ(rows.code, ExitCode::kBadData);
  EXPECT_EQ(rows.text, "input 'x': the dimension rows is 65; it may be 1 to 64");
  EXPECT_EQ(FailureOf([&] { session_.SetInputShape(1, {0}); }).text,
            "input 'b': the dimension rows is 0; it may be 1 to 64");
  EXPECT_EQ(FailureOf([&] { session_.SetInputShape(0, {1, -1}); }).text,
            "input 'x': the dimension columns is -1; it may be 0 to 64");
  const Failure rank = FailureOf([&] { session_.SetInput("x", Tensor(DType::kFloat32, {64})); });
  EXPECT_EQ(rank.code, ExitCode::kUsage);
  EXPECT_EQ(rank.text, "input 'x' is float32 64; float32 (rows: 1..64)x(columns: 0..64) would be right");
  EXPECT_EQ(FailureOf([&] { session_.SetInputShape(0, {64}); }).text,
            "input 'x' is given the shape 64; (rows: 1..64)x(columns: 0..64) would be right");
  EXPECT_EQ(session_.InputShape(0), (Shape{64, 64}));
}

TEST_F(RangedSessionTest, ComputesNothingIfInputsDisagree) {
  const Tensor x = Ramp({4, 4}, 1), b = Ramp({4}, 1);
  session_.SetInput("x", x);
  session_.SetInput("b", b);
  session_.Run();
  session_.SetInput("b", Ramp({5}, 9));
  for (const auto& run : std::vector<std::function<void()>>{[&] { session_.Run(); }, [&] { session_.RunProfiled(); },
                                                            [&] { session_.RunTraced(); }}) {
    const Failure failure = FailureOf(run);
    EXPECT_EQ(failure.code, ExitCode::kBadData);
    EXPECT_EQ(failure.text,
              "the dimension rows is 4 in axis 0 of 'x' and 5 in axis 0 of 'b'; one number would be right");
    ExpectRan(x, b);
  }
}

TEST_F(RangedSessionTest, RefusesMemoryOfAnotherShape) {
  std::vector<float> x(64 * 64), y(64 * 64);
  session_.SetInputShape(0, {2, 3});
  EXPECT_EQ(FailureOf([&] { session_.BindInput(0, x.data(), x.size() * 4); }).text,
            "'x': 16384 bytes were given; 24 would be right");
  session_.BindInput(0, x.data(), 24);
  session_.SetInputShape(0, {3, 3});
  session_.SetInputShape(1, {3});
  EXPECT_EQ(FailureOf([&] { session_.Run(); }).text, "'x' is bound to 24 bytes; its shape 3x3 takes 36");
  session_.BindInput(0, x.data(), 36);
  EXPECT_THAT(FailureOf([&] { session_.BindOutput(0, x.data() + 8, y.size() * 4); }).text,
              ::testing::HasSubstr("overlaps that of 'x'"));
  session_.BindOutput(0, x.data() + 9, y.size() * 4, Session::Overlaps::kUnasked);
  session_.RefuseOverlaps();
}

TEST_F(RangedSessionTest, ObservedRunsTakeTheSameShapes) {
  const Tensor x = Ramp({3, 5}, 1), b = Ramp({3}, 7);
  std::vector<float> y;
  RunObserved(package_, {x, b}, 1, [&](const ObservedValue& value) {
    if (value.name == "y") y.assign(value.value.data<float>(), value.value.data<float>() + value.value.elements());
    return true;
  });
  EXPECT_EQ(y, Expected(x, b));
  EXPECT_EQ(FailureOf([&] { RunObserved(package_, {x, Ramp({4}, 1)}, 1, nullptr); }).code, ExitCode::kBadData);
  EXPECT_EQ(FailureOf([&] { RunObserved(package_, {x, Ramp({65}, 1)}, 1, nullptr); }).code, ExitCode::kBadData);
}

// The first of y, which is 101 with the package's own kernel and -99 with the variant.
float FirstAt(Session& session, const Shape& shape) {
  session.SetInput("x", Ramp(shape, 1));
  session.SetInput("b", Ramp({shape[0]}, 100));
  session.Run();
  return static_cast<const float*>(session.OutputData(0))[0];
}

TEST(VariedSession, TakesTheFirstKernelWhoseLimitsHold) {
  const auto package = Package::FromBytes(testing::VariedPackage(), "varied");
  Session session(package, {.threads = 1});
  for (int round = 0; round < 2; ++round) {
    for (const Shape& shape : {Shape{64, 64}, Shape{3, 1}, Shape{2, 11}}) {
      EXPECT_EQ(FirstAt(session, shape), 101) << ShapeText(shape);
      EXPECT_EQ(session.KernelOf(0), 0);
    }
    for (const Shape& shape : {Shape{2, 10}, Shape{1, 1}, Shape{1, 64}}) {
      EXPECT_EQ(FirstAt(session, shape), -99) << ShapeText(shape);
      EXPECT_EQ(session.KernelOf(0), 1);
    }
  }
  std::vector<float> y(kSide * kSide, 0);
  session.BindOutput(0, y.data(), y.size() * 4);
  FirstAt(session, {2, 10});
  EXPECT_EQ(y[0], -99);
  FirstAt(session, {3, 10});
  EXPECT_EQ(y[0], 101);
  FirstAt(session, {1, 10});
  y[0] = 0;
  session.RunProfiled();
  EXPECT_EQ(y[0], -99);
  y[0] = 0;
  session.RunTraced();
  EXPECT_EQ(y[0], -99);
}

TEST(VariedSession, SwitchesWithoutAllocating) {
  Session session(Package::FromBytes(testing::VariedPackage(), "varied"), {.threads = 1});
  const Shape x[] = {{64, 10}, {1, 10}, {2, 10}, {3, 10}}, b[] = {{64}, {1}, {2}, {3}};
  const int64_t before = testing::Allocations();
  for (int i = 0; i < 4; ++i) {
    session.SetInputShape(0, x[i]);
    session.SetInputShape(1, b[i]);
    session.Run();
  }
  EXPECT_EQ(testing::Allocations(), before);
}

TEST(VariedSession, ObservedRunsTakeTheSameKernel) {
  const auto package = Package::FromBytes(testing::VariedPackage(), "varied");
  for (const int64_t rows : {1, 3}) {
    float first = 0;
    RunObserved(package, {Ramp({rows, 11}, 1), Ramp({rows}, 100)}, 1, [&](const ObservedValue& value) {
      if (value.name == "y") first = value.value.data<float>()[0];
      return true;
    });
    EXPECT_EQ(first, rows == 1 ? -99 : 101);
  }
}

// Against a walk over all elements.
TEST(SpreadTensorTest, PutsEachElementAtItsPlace) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    Shape full, shape;
    for (uint64_t rank = random.Below(5); rank > 0; --rank) {
      full.push_back(1 + static_cast<int64_t>(random.Below(4)));
      shape.push_back(random.Below(2) == 0 ? full.back() : static_cast<int64_t>(random.Below(full.back() + 1)));
    }
    const Tensor dense = Ramp(shape, 1);
    std::vector<float> spread(static_cast<size_t>(ElementCount(full)), -1), expected = spread;
    for (int64_t i = 0; i < dense.elements(); ++i) {
      int64_t place = 0, stride = 1, rest = i;
      for (size_t axis = full.size(); axis-- > 0; stride *= full[axis]) {
        place += rest % shape[axis] * stride;
        rest /= shape[axis];
      }
      expected[static_cast<size_t>(place)] = dense.data<float>()[i];
    }
    SpreadTensor(static_cast<const char*>(dense.raw()), shape, reinterpret_cast<char*>(spread.data()), full, 4);
    EXPECT_EQ(spread, expected) << ShapeText(shape) << " in " << ShapeText(full);
  }
}

class CApiRangedTest : public ::testing::Test {
 protected:
  CApiRangedTest() {
    bytes_ = Tensor(DType::kUInt8, {static_cast<int64_t>(testing::RangedPackage().size())});
    const std::string packed = testing::RangedPackage();
    std::copy(packed.begin(), packed.end(), bytes_.data<char>());
    EXPECT_EQ(hone_package_load_memory(bytes_.raw(), packed.size(), &package_), HONE_OK) << hone_error_text();
    EXPECT_EQ(hone_session_create(package_, 1, &session_), HONE_OK) << hone_error_text();
  }
  ~CApiRangedTest() override {
    hone_session_free(session_);
    hone_package_free(package_);
  }
  hone_status SetShape(int32_t input, const Shape& shape) const {
    return hone_session_set_input_shape(session_, input, shape.data(), static_cast<int32_t>(shape.size()));
  }

  Tensor bytes_;
  hone_package* package_ = nullptr;
  hone_session* session_ = nullptr;
};

TEST_F(CApiRangedTest, TellsRangesAndShapes) {
  hone_range range{};
  ASSERT_EQ(hone_package_input_range(package_, 0, 1, &range), HONE_OK);
  EXPECT_STREQ(range.name, "columns");
  EXPECT_EQ(range.least, 0);
  EXPECT_EQ(range.most, 64);
  EXPECT_EQ(hone_package_input_range(package_, 0, 2, &range), HONE_USAGE);
  EXPECT_EQ(hone_package_input_range(package_, 0, -1, &range), HONE_USAGE);
  EXPECT_EQ(hone_package_input_range(package_, 2, 0, &range), HONE_USAGE);
  EXPECT_EQ(hone_package_input_range(package_, 0, 0, nullptr), HONE_USAGE);
  hone_tensor_info info{};
  ASSERT_EQ(hone_session_input_info(session_, 0, &info), HONE_OK);
  EXPECT_EQ(info.size_bytes, 16384U);
  ASSERT_EQ(SetShape(0, {2, 3}), HONE_OK);
  ASSERT_EQ(hone_session_input_info(session_, 0, &info), HONE_OK);
  EXPECT_EQ(info.shape[1], 3);
  EXPECT_EQ(info.size_bytes, 24U);
  ASSERT_EQ(hone_package_input_info(package_, 0, &info), HONE_OK);
  EXPECT_EQ(info.shape[1], 64);
}

TEST_F(CApiRangedTest, RunsShapesOneAfterTheOther) {
  for (const Shape& shape : {Shape{5, 7}, Shape{64, 64}, Shape{7, 5}}) {
    const Tensor x = Ramp(shape, 1), b = Ramp({shape[0]}, 9);
    std::vector<float> y(kSide * kSide);
    std::vector<int64_t> seen(2);
    const int64_t before = testing::Allocations();
    ASSERT_EQ(SetShape(1, b.shape()), HONE_OK);
    ASSERT_EQ(hone_session_set_input_shape(session_, 0, shape.data(), 2), HONE_OK);
    const hone_memory inputs[] = {{const_cast<void*>(x.raw()), static_cast<size_t>(x.size_bytes())},
                                  {const_cast<void*>(b.raw()), static_cast<size_t>(b.size_bytes())}};
    const hone_memory outputs[] = {{y.data(), 16384}, {seen.data(), 16}};
    ASSERT_EQ(hone_session_run_with(session_, inputs, 2, outputs, 2), HONE_OK) << hone_error_text();
    EXPECT_EQ(testing::Allocations(), before);
    EXPECT_EQ(y, Expected(x, b));
    EXPECT_THAT(seen, ElementsAre(shape[0], shape[1]));
    ASSERT_EQ(hone_session_set_input(session_, 0, x.raw(), static_cast<size_t>(x.size_bytes())), HONE_OK);
    EXPECT_EQ(hone_session_set_input(session_, 0, x.raw(), 4), HONE_USAGE);
  }
}

// The sum of both: no axis of it is counted.
TEST_F(CApiRangedTest, TellsOutputsBeforeARun) {
  hone_tensor_info info{};
  ASSERT_EQ(SetShape(0, {2, 3}), HONE_OK);
  EXPECT_EQ(hone_session_expected_output_info(session_, 0, &info), HONE_BAD_DATA);
  EXPECT_THAT(hone_error_text(), ::testing::HasSubstr("the dimension rows is 2 in axis 0 of 'x' and 64"));
  ASSERT_EQ(SetShape(1, {2}), HONE_OK);
  ASSERT_EQ(hone_session_expected_output_info(session_, 0, &info), HONE_OK);
  EXPECT_STREQ(info.name, "y");
  EXPECT_EQ(info.size_bytes, 16384U);
  EXPECT_EQ(hone_session_expected_output_info(session_, 2, &info), HONE_USAGE);
  EXPECT_EQ(hone_session_expected_output_info(session_, 0, nullptr), HONE_USAGE);
  EXPECT_EQ(hone_session_expected_output_info(nullptr, 0, &info), HONE_USAGE);
}

TEST_F(CApiRangedTest, RefusalsNameTheDimension) {
  EXPECT_EQ(SetShape(0, {65, 1}), HONE_BAD_DATA);
  EXPECT_THAT(hone_error_text(), Eq(std::string("input 'x': the dimension rows is 65; it may be 1 to 64")));
  EXPECT_EQ(SetShape(0, {1}), HONE_USAGE);
  EXPECT_EQ(SetShape(2, {1}), HONE_USAGE);
  EXPECT_EQ(hone_session_set_input_shape(session_, 0, nullptr, 2), HONE_USAGE);
  ASSERT_EQ(SetShape(0, {3, 1}), HONE_OK);
  EXPECT_EQ(hone_session_run(session_), HONE_BAD_DATA);
  EXPECT_THAT(hone_error_text(),
              ::testing::HasSubstr("the dimension rows is 3 in axis 0 of 'x' and 64 in axis 0 of 'b'"));
}

}  // namespace
}  // namespace hone

#include "core/machine/fingerprint.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/error.h"

namespace hone {
namespace {

Environment Zen() {
  Environment environment;
  environment.cpu_model = "AMD EPYC";
  environment.cpu_id = "AuthenticAMD-25-1-2";
  environment.features = "avx2 avx fma";
  environment.caches = "32K,512K,32M";
  return environment;
}

Fingerprint With(const std::function<void(Environment&)>& change) {
  Environment environment = Zen();
  change(environment);
  return FingerprintOf(environment);
}

TEST(Fingerprint, IsReadFromTheEnvironment) {
  const Fingerprint zen = FingerprintOf(Zen());
  EXPECT_EQ(zen.vendor, "AuthenticAMD");
  EXPECT_EQ(zen.family, "25");
  EXPECT_EQ(zen.model, "1");
  EXPECT_EQ(zen.stepping, "2");
  EXPECT_TRUE(zen.Has("fma"));
  EXPECT_FALSE(zen.Has("avx512f"));
  EXPECT_FALSE(zen.Has("av"));
  EXPECT_EQ(With([](Environment& e) { e.cpu_id = "-1-2-3"; }), With([](Environment& e) { e.cpu_id = ""; }));
  EXPECT_EQ(zen.ToText(), "cpu=AuthenticAMD-25-1-2 caches=32K,512K,32M features=avx,avx2,fma");
}

TEST(Fingerprint, TextRoundTrips) {
  const Fingerprint whole = With([](Environment& e) {
    e.cpu_id = "A vendor-of two-6-7-";
    e.caches = "32 KB";
    e.core_kind = "atom,core";
    e.emulated = true;
  });
  EXPECT_EQ(whole.ToText(), "cpu=A_vendor-of_two-6-7- caches=32_KB features=avx,avx2,fma core=atom,core emulated=yes");
  for (const Fingerprint& fingerprint : {whole, FingerprintOf(Zen()), Fingerprint()}) {
    EXPECT_EQ(Fingerprint::Parse(fingerprint.ToText()), fingerprint);
  }
}

TEST(Fingerprint, RefusesOtherTexts) {
  for (const char* text : {"x", "cpu=", "cpu=a", "caches=1 cpu=a-1-2-3", "emulated=no", " core=a", "k=v"})
    EXPECT_THROW(Fingerprint::Parse(text), Error) << text;
}

TEST(Fingerprint, DoesNotKnowTheModelString) {
  const Fingerprint zen = FingerprintOf(Zen());
  EXPECT_TRUE(SameExactly(zen, With([](Environment& e) { e.cpu_model = "AMD EPYC 7763"; })));
  EXPECT_FALSE(SameExactly(zen, With([](Environment& e) { e.cpu_id = "AuthenticAMD-26-2-1"; })));
  EXPECT_FALSE(SameModel(zen, With([](Environment& e) { e.cpu_id = "AuthenticAMD-26-2-1"; })));
}

TEST(Fingerprint, AModelHasManyFingerprints) {
  const Fingerprint zen = FingerprintOf(Zen());
  for (const Fingerprint& other :
       {With([](Environment& e) { e.cpu_id = "AuthenticAMD-25-1-1"; }),
        With([](Environment& e) { e.caches = "32K,512K,16M"; }), With([](Environment& e) { e.features = "avx"; })}) {
    EXPECT_FALSE(SameExactly(zen, other));
    EXPECT_TRUE(SameModel(zen, other));
    EXPECT_NE(zen.ShortId(), other.ShortId());
  }
  for (const Fingerprint& other :
       {With([](Environment& e) { e.core_kind = "atom"; }), With([](Environment& e) { e.emulated = true; })}) {
    EXPECT_FALSE(SameModel(zen, other));
  }
}

TEST(Fingerprint, HowManyCoresOfAKindThereAreIsNoOtherModel) {
  const auto of = [](const char* cores) { return With([&](Environment& e) { e.core_kind = cores; }); };
  for (const char* cores : {"atom*1,core*4", "atom,core,smt", "atom*2,core*2,smt,nodes2"}) {
    EXPECT_TRUE(SameModel(of("atom,core"), of(cores))) << cores;
    EXPECT_FALSE(SameExactly(of("atom,core"), of(cores))) << cores;
    EXPECT_EQ(Fingerprint::Parse(of(cores).ToText()), of(cores));
  }
  EXPECT_TRUE(SameModel(of(""), of("smt")));
  EXPECT_FALSE(SameModel(of("atom,core"), of("core*4,smt")));
}

TEST(Fingerprint, WhereTheCpuIsNotToldTheHostTells) {
  const Fingerprint board = With([](Environment& e) { e.cpu_id = "", e.host = "a board"; });
  EXPECT_EQ(board.ToText(), "host=a_board caches=32K,512K,32M features=avx,avx2,fma");
  EXPECT_EQ(Fingerprint::Parse(board.ToText()), board);
  EXPECT_TRUE(SameExactly(board, board));
  EXPECT_FALSE(SameModel(board, With([](Environment& e) { e.cpu_id = "", e.host = "another"; })));
  EXPECT_EQ(With([](Environment& e) { e.host = "a board"; }), FingerprintOf(Zen()));
}

TEST(Fingerprint, WhatIsNotKnownIsLikeNothing) {
  EXPECT_FALSE(SameExactly({}, {}));
  EXPECT_FALSE(SameModel({}, {}));
  EXPECT_EQ(Fingerprint().ShortId(), "");
  EXPECT_EQ(FingerprintOf(Zen()).ShortId().size(), 8U);
}

}  // namespace
}  // namespace hone

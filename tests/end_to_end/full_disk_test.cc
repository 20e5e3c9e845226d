// A tune on a disk that is full for a while keeps its measurements, and ends in order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/tune_child.h"

namespace hone {
namespace {

using testing::HasSubstr;

// A disk of 2 MiB with a store and room for a few of its pages. Once the tune has reported that it waits, space is
// freed. The script prints the tune's output.
constexpr const char* kScript = R"(
  cd "$WORK" && mkdir disk && mount -t tmpfs -o size=2m none disk || exit 99
  echo '{"format":"hone-log","version":1}' | "$HONE" log import - --db disk/records.db >/dev/null 2>&1 || exit 98
  dd if=/dev/zero of=disk/filler bs=1k 2>/dev/null
  truncate -s -64K disk/filler || exit 97
  "$HONE" "$@" --db disk/records.db 2>notes & tune=$!
  until grep -q 'it is tried again' notes || ! kill -0 $tune 2>/dev/null; do sleep 0.05; done
  rm disk/filler
  wait $tune
  code=$?
  cat notes >&2
  cp disk/records.db records.db
  exit $code
)";

using FullDisk = TuneChildTest;

TEST_F(FullDisk, IsWaitedForAndNothingIsLost) {
  if (Shell("unshare -rm mount -t tmpfs none /mnt").code != 0) GTEST_SKIP() << "no disk can be made here";
  const std::vector<std::string> arguments = {"-rm",
                                              "env",
                                              "WORK=" + Path("work"),
                                              "HONE=" HONE_PROGRAM,
                                              "sh",
                                              "-c",
                                              kScript,
                                              "tune",
                                              "tune",
                                              "zoo:mlp",
                                              "--image-shape",
                                              "1,14,14",
                                              "--threads",
                                              "1",
                                              "--trials",
                                              std::to_string(kTrials),
                                              "--json"};
  ChildProgram tune("/usr/bin/unshare", arguments, Path("work/full"));
  EXPECT_EQ(tune.Wait(), 0) << tune.ErrorText();
  EXPECT_THAT(tune.ErrorText(), HasSubstr("the disk is full; what was measured is kept in memory"));
  EXPECT_THAT(tune.ErrorText(), HasSubstr("the store can be used again"));
  EXPECT_EQ(Acknowledge(tune), kTrials);
  ExpectStoreWhole();
}

}  // namespace
}  // namespace hone

// `hone tune` of a small network in a process of its own, and the invariants of its store after any failure.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "tests/cli/run_program.h"
#include "tests/end_to_end/child_program.h"

namespace hone {

class TuneChildTest : public ProgramTest {
 protected:
  static constexpr int kTrials = 40;

  // Starts it; each call in a test writes to a file of its own.
  std::unique_ptr<ChildProgram> Tune(const std::vector<std::string>& more = {});
  // Notes the trials that its JSON stream reports: from then on the store must have them. Returns their number.
  int Acknowledge(const ChildProgram& tune);
  // The object that ends the stream of a run that was not killed.
  static Json Done(const ChildProgram& tune);
  // Expects that the store opens, has every acknowledged trial and kTrials conclusive ones, and has only noisy ones
  // twice.
  void ExpectStoreWhole() const;
  // Expects all finals in the store to have all rounds, and none of a task's to be held twice. Returns their number.
  int ExpectFinalsWhole() const;
  std::string Store() const { return Path("work/records.db"); }

 private:
  std::set<std::string> acknowledged_;
  int started_ = 0;
};

}  // namespace hone

// `hone tune` of a small network in a process of its own, and what must hold of its store whatever befell it.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/serialize.h"
#include "tests/cli/run_program.h"
#include "tests/end_to_end/child_program.h"

namespace hone {

class TuneChildTest : public ProgramTest {
 protected:
  static constexpr int kTrials = 40;

  // Starts it; each call of a test writes to a file of its own.
  std::unique_ptr<ChildProgram> Tune(const std::vector<std::string>& more = {});
  // Notes the trials that its JSON stream tells of: from then on the store must have them. Returns how many.
  int Acknowledge(const ChildProgram& tune);
  // The object that ends the stream of a run that was not killed.
  static Json Done(const ChildProgram& tune);
  // The store opens, has every acknowledged trial, has kTrials that say something, and none of
  // those twice but for noisy ones.
  void ExpectStoreWhole() const;
  // Every finals in the store has all its rounds, and none of a task's was held twice. Returns how many there are.
  int ExpectFinalsWhole() const;
  std::string Store() const { return Path("work/records.db"); }

 private:
  std::set<std::string> acknowledged_;
  int started_ = 0;
};

}  // namespace hone

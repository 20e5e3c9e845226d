// A tracker in a process of its own, and the runners and tuners that connect to it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/end_to_end/tune_child.h"

namespace hone {

class TrackerChildTest : public TuneChildTest {
 protected:
  void SetUp() override;
  void TearDown() override;

  // Kills the tracker without notice to its peers, and starts another one at its address.
  void ReplaceTracker();
  // Offers this machine under the key "here".
  std::unique_ptr<ChildProgram> Runner(const std::vector<std::string>& more = {}) const;
  // Offers it for the whole test.
  void OfferDevice(const std::vector<std::string>& more);
  // The options that reach it, each behind a blank.
  std::string There() const { return " --tracker " + address_ + " --key here"; }

  std::string address_;  // the tracker's address

 private:
  void StartTracker(const std::string& bind);

  std::unique_ptr<ChildProgram> tracker_, device_;
};

}  // namespace hone

// Records and folders for the tests of the store.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "db/record.h"
#include "db/verdicts/best_lookup.h"

namespace hone {

constexpr const char* kSampleWorkload = "nn.dense data=1x8 weight=4x8 dtype=float32 epilogue=none";

// A finished record of fate Ok whose config says tile_ow=`number`, with one sample of 1000 + number ns.
Record SampleRecord(int number);
std::vector<Record> SampleRecords(int count);

// A machine called "AMD EPYC" whose CPU is `cpu_id`, as vendor-family-model-stepping.
Environment EpycOf(const std::string& cpu_id);

// Gives the row a setup that differs from its own by the effect of `change`.
template <typename Change>
void ChangeSetup(BestRow& row, const Change& change) {
  Setup setup = *row.setup;
  change(setup);
  row.setup = SharedSetup(std::move(setup));
}

// A folder of the test's own, removed with all its content.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string ReadBytes(const std::string& path);
void WriteBytes(const std::string& path, const std::string& bytes);

}  // namespace hone

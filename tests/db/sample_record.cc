#include "tests/db/sample_record.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"

namespace hone {

Record SampleRecord(int number) {
  Record record;
  record.candidate = {Workload::Parse(kSampleWorkload), "dense_gemv", Config({{"oc_block", 16}, {"tile_ow", number}}),
                      Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=znver3")};
  record.input_layout = "AB";
  record.output_layout = "AB16b";
  record.measurement.samples_ns = {1000 + number};
  record.measurement.batch = {100};
  record.measurement.environment.cpu_model = "AMD EPYC 7763";
  record.measurement.environment.host = "Bench-1";
  record.hone_version = "0.1.0";
  record.session = "s1";
  record.unix_ms = 1'700'000'000'000;
  return Finish(record);
}

std::vector<Record> SampleRecords(int count) {
  std::vector<Record> records;
  for (int i = 0; i < count; ++i) records.push_back(SampleRecord(i));
  return records;
}

Environment EpycOf(const std::string& cpu_id) {
  Environment environment;
  environment.cpu_model = "AMD EPYC";
  environment.cpu_id = cpu_id;
  return environment;
}

TempFolder::TempFolder() {
  // In memory where /dev/shm is writable: the tests kill processes, not the power, so they need no disk's fsync.
  const bool memory = access("/dev/shm", W_OK) == 0;
  std::string pattern = (memory ? "/dev/shm" : std::filesystem::temp_directory_path().string()) + "/hone-db-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw Error(ExitCode::kCannotCreate, "no temporary folder can be made");
  path_ = pattern;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ReadBytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace hone

// A package gives the same bits from memory, from its file, and with any number of threads.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <ostream>

#include "tests/end_to_end/run_model.h"

namespace hone {
namespace {

struct Network {
  const char* name;
  Shape image_shape;
  int64_t batch;
};

// Names the parameter in test listings, which would print its bytes otherwise.
void PrintTo(const Network& network, std::ostream* out) {
  *out << network.name << " " << ShapeText(network.image_shape) << " x" << network.batch;
}

class PackageBits : public testing::TestWithParam<Network> {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_ = testing::TempDir() + "hone_bits_" + std::to_string(getpid()) + ".hone";
};

TEST_P(PackageBits, AreTheSameFromTheFileAndAtAnyThreads) {
  const Network& network = GetParam();
  const BuildResult built =
      Build(ZooModule(network.name, network.image_shape, network.batch, /*classes=*/37), HostBuild());
  const Tensor first = RunOnce(Package::FromBytes(built.package, network.name), 1, Fill::kNormal, 3).at(0);
  ASSERT_EQ(first.shape(), (Shape{network.batch, 37}));
  EXPECT_GT(WorstError(first, std::vector<float>(static_cast<size_t>(first.elements()), 1.0F / 37)), 0.1)
      << "the network tells its classes apart";
  std::ofstream(path_, std::ios::binary) << built.package;
  const auto loaded = Package::Load(path_);
  loaded->VerifyParams();
  EXPECT_EQ(loaded->plan(), built.plan);
  for (const int threads : {1, 2, 4}) {
    EXPECT_EQ(Bits(RunOnce(loaded, threads, Fill::kNormal, 3).at(0)), Bits(first)) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, PackageBits,
                         testing::Values(Network{"resnet-18", {3, 64, 64}, 1}, Network{"resnet-18", {3, 64, 64}, 2},
                                         Network{"resnet-50", {3, 64, 64}, 1}, Network{"mobilenet", {3, 64, 64}, 1},
                                         Network{"mobilenet_v2", {3, 64, 64}, 2}, Network{"squeezenet", {3, 96, 80}, 1},
                                         Network{"squeezenet", {3, 64, 64}, 2}),
                         [](const auto& network) {
                           std::string name =
                               std::string(network.param.name) + "_batch_" + std::to_string(network.param.batch);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace hone

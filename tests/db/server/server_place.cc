#include "tests/db/server/server_place.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "core/error.h"
#include "tests/db/store_place.h"

namespace hone {
namespace {

std::unique_ptr<PostgresServer> shared;

class ServerEnvironment : public testing::Environment {
 public:
  void SetUp() override { shared = std::make_unique<PostgresServer>(); }
  void TearDown() override { shared.reset(); }
};

}  // namespace

PostgresServer& SharedServer() { return *shared; }

struct StorePlace::Inside {};
StorePlace::StorePlace() : where_(SharedServer().NewDatabase()) {}
StorePlace::~StorePlace() = default;
std::string StorePlace::Engine() { return "PostgreSQL"; }

}  // namespace hone

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (hone::PostgresServer::ProgramFolder().empty()) {
    std::puts("SKIPPED: Debian's package postgresql is not installed");
    return 0;
  }
  testing::AddGlobalTestEnvironment(new hone::ServerEnvironment);
  return RUN_ALL_TESTS();
}

// The server that all tests of this program share.
#pragma once

#include "tests/support/postgres_server.h"

namespace hone {

PostgresServer& SharedServer();

}  // namespace hone

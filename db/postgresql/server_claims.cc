#include "db/postgresql/server_claims.h"

#include <libpq-fe.h>

#include "core/error.h"

namespace hone {

ServerClaims::ServerClaims(ServerLink& link) : link_(link) {
  link_.OnReconnect([this] {
    for (auto& [number, agreed] : held_) agreed = TakeLock(number);
  });
}

ServerClaims::~ServerClaims() {
  link_.OnReconnect(nullptr);
  if (held_.empty() || !link_.connected()) return;
  try {
    link_.Execute("SELECT pg_advisory_unlock_all()");
  } catch (const Error&) {
    // The connection is lost, and with it the locks.
  }
}

bool ServerClaims::TakeLock(int64_t number) {
  const ServerResult result = link_.Run("SELECT pg_try_advisory_lock(?::bigint)", {number});
  return PQgetvalue(result.get(), 0, 0)[0] == 't';
}

bool ServerClaims::Take(std::string_view what) {
  const int64_t number = ClaimNumber(what);
  if (held_.contains(number)) return true;
  if (!TakeLock(number)) return false;
  held_[number] = true;
  return true;
}

void ServerClaims::Release(std::string_view what) {
  const auto held = held_.find(ClaimNumber(what));
  if (held == held_.end()) return;
  const auto [number, agreed] = *held;
  held_.erase(held);
  if (!agreed || !link_.connected()) return;
  try {
    link_.Run("SELECT pg_advisory_unlock(?::bigint)", {number});
  } catch (const Error&) {
    // The connection is lost, and with it the lock.
  }
}

}  // namespace hone

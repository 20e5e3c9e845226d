// Claims of the tuners that share a store on a server.
#pragma once

#include <map>
#include <string_view>

#include "db/claims.h"
#include "db/postgresql/server_link.h"

namespace hone {

// Advisory locks of the connection, which the server frees when it ends. After a reconnection they are taken again;
// one that another tuner took in the meantime is then held by both. Throws Error(kIo) while the server cannot be
// reached.
class ServerClaims : public Claims {
 public:
  // The link must outlive the claims.
  explicit ServerClaims(ServerLink& link);
  ~ServerClaims() override;
  ServerClaims(const ServerClaims&) = delete;
  ServerClaims& operator=(const ServerClaims&) = delete;

  bool Take(std::string_view what) override;
  // Never throws: claims on a lost server are free already.
  void Release(std::string_view what) override;

 private:
  bool TakeLock(int64_t number);

  ServerLink& link_;
  std::map<int64_t, bool> held_;  // by number; whether the server agrees
};

}  // namespace hone

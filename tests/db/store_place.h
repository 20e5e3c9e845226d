// The location of a test's store. The tests of the store are built twice: with file_place.cc and with server_place.cc.
#pragma once

#include <memory>
#include <string>

#include "db/record_store.h"

namespace hone {

// An empty place for one store, removed with the object.
class StorePlace {
 public:
  StorePlace();
  ~StorePlace();
  StorePlace(const StorePlace&) = delete;
  StorePlace& operator=(const StorePlace&) = delete;

  // A path or an address, at which there is no store yet.
  const std::string& where() const { return where_; }
  std::unique_ptr<RecordStore> Open(bool create = true) const { return RecordStore::Open(where_, create); }
  // The store's engine, as EngineFacts names it.
  static std::string Engine();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
  std::string where_;
};

}  // namespace hone

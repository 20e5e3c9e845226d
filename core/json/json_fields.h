// Readers of fields of JSON objects from outside. Each throws Error(kBadData) naming the field when it is missing, of
// another type or out of range.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "core/tensor.h"

namespace hone {

// Also throws when `json` is no object.
const Json& Field(const Json& json, const char* name);
std::string TextField(const Json& json, const char* name);
bool BoolField(const Json& json, const char* name);
// Any finite number.
double NumberField(const Json& json, const char* name);
int64_t IntegerField(const Json& json, const char* name, int64_t least = std::numeric_limits<int64_t>::min(),
                     int64_t most = std::numeric_limits<int64_t>::max());
// An integer that fits an int and is at least `least`.
int IntField(const Json& json, const char* name, int least = std::numeric_limits<int>::min());
const Json& ArrayField(const Json& json, const char* name);
std::vector<std::string> TextsField(const Json& json, const char* name);
std::vector<int64_t> IntegersField(const Json& json, const char* name,
                                   int64_t least = std::numeric_limits<int64_t>::min());
// A shape whose dimensions are at least 0 and whose product fits 64 bits.
Shape ShapeField(const Json& json, const char* name);

}  // namespace hone

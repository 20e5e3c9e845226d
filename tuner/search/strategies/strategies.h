// One maker per strategy, for the table in strategy.cc.
#pragma once

#include <cstdint>
#include <memory>

#include "tuner/search/strategy.h"

namespace hone {

std::unique_ptr<Strategy> MakeEvolutionary(const SearchTask& task, uint64_t seed);
std::unique_ptr<Strategy> MakeGrid(const SearchTask& task, uint64_t seed);
std::unique_ptr<Strategy> MakeModelGuided(const SearchTask& task, uint64_t seed);
std::unique_ptr<Strategy> MakeRandomSearch(const SearchTask& task, uint64_t seed);

}  // namespace hone

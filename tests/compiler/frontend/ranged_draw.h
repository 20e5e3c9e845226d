// Random models whose dimensions are ranges.
#pragma once

#include <string>

namespace hone {

// A model of values of batch x seq x 4, with a second input of batch x keys x 4. The seed decides all.
std::string DrawSequenceModel(unsigned seed);
// A model of pictures of batch x 16 x height x width.
std::string DrawPictureModel(unsigned seed);

}  // namespace hone

// ResNet-50 as PyTorch exports it with folded batch norms, a typical model of users.
#pragma once

#include "tests/compiler/frontend/model_maker.h"

namespace hone {

// The inputs are 224 x 224. The weights are zero; `width` divides all channel counts but the input's, to keep the test
// small.
ModelMaker MakeResnet50(int64_t width);

}  // namespace hone

// ResNet-50 as PyTorch exports it with batch norm folded: the kind of model that users bring.
#pragma once

#include "tests/compiler/frontend/model_maker.h"

namespace hone {

// 224 x 224 inputs. The weights are zero; `width` divides all channel counts but the input's, to keep the test small.
ModelMaker MakeResnet50(int64_t width);

}  // namespace hone

#include "ranged.h"

int32_t RangedOf(const Caller* caller) {
  int32_t ranged = 0;
  for (int32_t i = 0; i < caller->inputs; ++i) ranged += caller->tensors[i].ranged;
  return ranged;
}

int TakesShape(const Tensor* tensor, const Py_ssize_t* shape, size_t* size_bytes) {
  *size_bytes = tensor->item_bytes;
  for (int axis = 0; axis < tensor->rank; ++axis) {
    if (shape[axis] < tensor->least[axis] || shape[axis] > tensor->shape[axis]) return 0;
    *size_bytes *= (size_t)shape[axis];
  }
  return 1;
}

hone_status SetShapes(const Caller* caller, const Given* given) {
  hone_status status = HONE_OK;
  for (int32_t i = 0; i < caller->inputs && status == HONE_OK; ++i) {
    if (!caller->tensors[i].ranged) continue;
    status = caller->set_shape(caller->session, i, given->dims, caller->tensors[i].rank);
    ++given;
  }
  return status;
}

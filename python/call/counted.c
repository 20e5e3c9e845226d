#include "counted.h"

#include <string.h>

int32_t CountedOf(const Caller* caller) {
  int32_t counted = 0;
  for (int32_t i = 0; i < caller->outputs; ++i) counted += caller->tensors[caller->inputs + i].counted;
  return counted;
}

hone_status ReadCame(const Caller* caller, Came* came) {
  hone_status status = HONE_OK;
  hone_tensor_info info;
  for (int32_t i = 0; i < caller->outputs && status == HONE_OK; ++i) {
    if (!caller->tensors[caller->inputs + i].counted) continue;
    status = caller->output_info(caller->session, i, &info);
    for (int32_t axis = 0; status == HONE_OK && axis < info.rank; ++axis) came->dims[axis] = info.shape[axis];
    ++came;
  }
  return status;
}

/* The beginning of an output array whose shape became smaller, as a new reference. */
static PyObject* Beginning(const Caller* caller, const Tensor* tensor, PyObject* array, const Came* came) {
  PyObject* const shape = PyTuple_New(tensor->rank);
  if (shape == NULL) return NULL;
  for (int axis = 0; axis < tensor->rank; ++axis) PyTuple_SetItem(shape, axis, PyLong_FromSsize_t(came->dims[axis]));
  PyObject* const begin = PyObject_CallFunctionObjArgs(caller->begin, array, shape, NULL);
  Py_DECREF(shape);
  return begin;
}

int Cut(const Caller* caller, PyObject** results, const Came* came) {
  for (int32_t i = 0; i < caller->outputs; ++i) {
    const Tensor* const tensor = &caller->tensors[caller->inputs + i];
    if (!tensor->counted) continue;
    if (memcmp(came->dims, tensor->shape, (size_t)tensor->rank * sizeof(*tensor->shape)) != 0) {
      PyObject* const whole = results[i];
      results[i] = Beginning(caller, tensor, whole, came);
      Py_DECREF(whole);
      if (results[i] == NULL) return -1;
    }
    ++came;
  }
  return 1;
}

/* A session that Python calls through the extension, with its input and output tensors. */
#ifndef HONE_PYTHON_CALLER_H
#define HONE_PYTHON_CALLER_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>
#include <pthread.h>

#include "runtime/hone.h"

typedef hone_status RunWith(hone_session* session, const hone_memory* inputs, int32_t input_count,
                            const hone_memory* outputs, int32_t output_count);
typedef hone_status SetShape(hone_session* session, int32_t index, const int64_t* shape, int32_t rank);
typedef hone_status OutputInfo(const hone_session* session, int32_t index, hone_tensor_info* info);

enum { kMostTensors = 512, kMostRank = 16, kSpares = 2, kMostSpareBytes = 65536 };

typedef struct {
  PyObject *dtype, *of_new; /* of_new: the arguments for a new array: shape, dtype */
  int rank;
  Py_ssize_t shape[kMostRank], least[kMostRank]; /* the largest and the smallest extents */
  size_t size_bytes, item_bytes;
  int counted;               /* whether a run decides its extent */
  int ranged;                /* whether the caller chooses an extent of it */
  PyObject* spares[kSpares]; /* small outputs that were handed out before */
} Tensor;

typedef struct {
  RunWith* run;
  OutputInfo* output_info;
  SetShape* set_shape;
  hone_session* session;
  int forks;
  pthread_mutex_t turn;
  PyObject *array_type, *check, *begin; /* begin returns the beginning of an array with a given shape */
  int32_t inputs, outputs, counted, ranged;
  Tensor tensors[]; /* inputs, then outputs */
} Caller;

#endif

/* Inputs with axes whose extent the caller chooses for each run. The session is told their arrays' shapes before it
 * runs. */
#ifndef HONE_PYTHON_RANGED_H
#define HONE_PYTHON_RANGED_H

#include <stdint.h>

#include "caller.h"

enum { kMostRanged = 16 };

/* The shape of such an input's array. */
typedef struct {
  int64_t dims[kMostRank];
} Given;

/* The number of such inputs of the caller. */
int32_t RangedOf(const Caller* caller);

/* 1: the tensor may have this shape, and *size_bytes is the size of an array of it; 0: it may not. */
int TakesShape(const Tensor* tensor, const Py_ssize_t* shape, size_t* size_bytes);

/* Sets the session's shapes: one for each such input, in order. No other run may come between this and the run. Does
 * not need the GIL. */
hone_status SetShapes(const Caller* caller, const Given* given);

#endif

/* Outputs with a data-dependent extent. Their arrays have the largest extent, and the result is the valid part. */
#ifndef HONE_PYTHON_COUNTED_H
#define HONE_PYTHON_COUNTED_H

#include "caller.h"

enum { kMostCounted = 16 };

/* The shape that a run gave to such an output. */
typedef struct {
  Py_ssize_t dims[kMostRank];
} Came;

/* The number of such outputs of the caller. */
int32_t CountedOf(const Caller* caller);

/* Reads the shapes from the session's last run: one for each such output, in order. No other run may come in
 * between. Does not need the GIL. */
hone_status ReadCame(const Caller* caller, Came* came);

/* Replaces each such output by its valid part, and drops the reference to the replaced one. Returns 1, or -1 for an
 * exception; the result that could not be made is then null. */
int Cut(const Caller* caller, PyObject** results, const Came* came);

#endif

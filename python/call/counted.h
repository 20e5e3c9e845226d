/* Outputs whose extent a run counts: their arrays are as large as they can be, and what is given is the part that came.
 */
#ifndef HONE_PYTHON_COUNTED_H
#define HONE_PYTHON_COUNTED_H

#include "caller.h"

enum { kMostCounted = 16 };

/* The shape that a run gave to such an output. */
typedef struct {
  Py_ssize_t dims[kMostRank];
} Came;

/* How many of the caller's outputs are such. */
int32_t CountedOf(const Caller* caller);

/* Reads the shapes that the session's last run gave: one for each such output, in order. No other run may come between
 * the two. Needs no lock of Python's. */
hone_status ReadCame(const Caller* caller, Came* came);

/* Puts what came in the place of each such output; a result that is replaced loses its reference. 1; -1: an exception,
 * and the result that could not be made is null. */
int Cut(const Caller* caller, PyObject** results, const Came* came);

#endif

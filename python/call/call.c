/* The module hone_runtime._call: passes numpy's arrays to hone_session_run_with in a single function. After a network's
 * run the interpreter's data are no longer in the caches, so each object that a call does not touch saves a
 * microsecond.
 *
 * One file serves every Python from 3.9 on and every numpy, since it uses the limited API and is linked with no
 * library. Where it is not built, hone_runtime does the same through ctypes. */
#include <stdlib.h>
#include <string.h>

#include "caller.h"
#include "counted.h"
#include "ranged.h"

/* The beginning of an array object. It is the same in every numpy, because compiled programs read arrays in this
 * way. IsAsKnown checks it. */
typedef struct {
  PyObject head;
  void* data;
  int rank;
  Py_ssize_t *shape, *strides;
  PyObject *base, *dtype;
  int flags;
} Array;
/* The target of the capsule in an array's __array_struct__, as numpy documents it. */
typedef struct {
  int two, rank;
  char kind;
  int item_bytes, flags;
  Py_ssize_t *shape, *strides;
  void* data;
} ArrayStruct;
enum { kRowMajor = 0x1, kWriteable = 0x400 };

typedef struct {
  PyObject head;
  Caller* caller; /* null: what is called is run by Python */
} Quick;

/* The number of forks between the process that loaded this and this one, which has none of its threads. */
static int forks_before;
static void CountFork(void) { ++forks_before; }

/* 1: the value is an array that matches the tensor, and *memory describes it; 0: it does not; -1: an exception. */
static int Look(const Caller* caller, const Tensor* tensor, PyObject* value, int flags, hone_memory* memory) {
  if (!PyObject_TypeCheck(value, (PyTypeObject*)caller->array_type)) return 0;
  const Array* const array = (const Array*)value;
  if (array->rank != tensor->rank || (array->flags & flags) != flags) return 0;
  if (!TakesShape(tensor, array->shape, &memory->size_bytes)) return 0;
  memory->data = array->data;
  return array->dtype == tensor->dtype ? 1 : PyObject_RichCompareBool(array->dtype, tensor->dtype, Py_EQ);
}

/* As Look. The shapes of ranged inputs are copied, because other threads may change an array's shape. */
static int LookAtInputs(const Caller* caller, PyObject* given, hone_memory* memory, Given* shapes) {
  if (PyTuple_Size(given) != caller->inputs) return 0;
  int found = 1;
  for (int32_t i = 0; i < caller->inputs && found == 1; ++i) {
    const Tensor* const tensor = &caller->tensors[i];
    PyObject* const value = PyTuple_GetItem(given, i);
    found = Look(caller, tensor, value, kRowMajor, &memory[i]);
    if (found != 1 || !tensor->ranged) continue;
    for (int axis = 0; axis < tensor->rank; ++axis) shapes->dims[axis] = ((const Array*)value)->shape[axis];
    ++shapes;
  }
  return found;
}

/* A new reference to an unchanged array that was handed out and has no other user; null if there is none. */
static PyObject* Spare(const Caller* caller, const Tensor* tensor) {
  hone_memory memory;
  for (int i = 0; i < kSpares; ++i) {
    PyObject* const spare = tensor->spares[i];
    if (spare == NULL || Py_REFCNT(spare) != 1) continue;
    if (Look(caller, tensor, spare, kRowMajor | kWriteable, &memory) == 1) return Py_INCREF(spare), spare;
  }
  return NULL;
}

/* Keeps the array in place of the oldest spare, which somebody may still use. */
static void Keep(Tensor* tensor, PyObject* array) {
  PyObject* const oldest = tensor->spares[kSpares - 1];
  for (int i = kSpares - 1; i > 0; --i) tensor->spares[i] = tensor->spares[i - 1];
  Py_INCREF(array);
  tensor->spares[0] = array;
  Py_XDECREF(oldest);
}

/* An array for an output; a new reference. Null: an exception. */
static PyObject* NewOutput(const Caller* caller, Tensor* tensor) {
  PyObject* const spare = Spare(caller, tensor);
  if (spare != NULL) return spare;
  PyObject* const array = PyObject_Call(caller->array_type, tensor->of_new, NULL);
  if (array != NULL && tensor->size_bytes <= kMostSpareBytes) Keep(tensor, array);
  return array;
}

/* Output i: the item of `wanted`, or a new array if `wanted` or its item is None or null. */
static PyObject* Output(Caller* caller, PyObject* wanted, int32_t i) {
  Tensor* const tensor = &caller->tensors[caller->inputs + i];
  if (wanted == NULL) return NewOutput(caller, tensor);
  PyObject* const value = PySequence_GetItem(wanted, i);
  if (value != Py_None) return value;
  Py_DECREF(value);
  return NewOutput(caller, tensor);
}

/* As Look. The outputs are stored in results, as new references. */
static int LookAtOutputs(Caller* caller, PyObject* wanted, PyObject** results, hone_memory* memory) {
  if (wanted != NULL && PySequence_Size(wanted) != caller->outputs) return PyErr_Occurred() == NULL ? 0 : -1;
  int found = 1;
  for (int32_t i = 0; i < caller->outputs && found == 1; ++i) {
    results[i] = Output(caller, wanted, i);
    if (results[i] == NULL) return -1;
    found = Look(caller, &caller->tensors[caller->inputs + i], results[i], kRowMajor | kWriteable, &memory[i]);
  }
  return found;
}

/* Runs of one session take turns, and other Python threads continue meanwhile. */
static hone_status RunInTurn(Caller* caller, const hone_memory* inputs, const Given* shapes, const hone_memory* outputs,
                             Came* came) {
  hone_status status = HONE_OK;
  Py_BEGIN_ALLOW_THREADS;
  pthread_mutex_lock(&caller->turn);
  if (caller->ranged > 0) status = SetShapes(caller, shapes);
  if (status == HONE_OK) status = caller->run(caller->session, inputs, caller->inputs, outputs, caller->outputs);
  if (status == HONE_OK && caller->counted > 0) status = ReadCame(caller, came);
  pthread_mutex_unlock(&caller->turn);
  Py_END_ALLOW_THREADS;
  return status;
}

/* Raises the exception of a status: 1 if there is none, -1 if it was raised. */
static int Check(const Caller* caller, hone_status status) {
  if (status == HONE_OK) return 1;
  PyObject* const none = PyObject_CallFunction(caller->check, "i", (int)status);
  Py_XDECREF(none);
  return none == NULL ? -1 : 1;
}

/* As Look. If 1, results are those of a run, as new references; otherwise results hold no references. */
static int Run(Caller* caller, PyObject* given, PyObject* wanted, PyObject** results) {
  hone_memory inputs[kMostTensors], outputs[kMostTensors];
  Came came[kMostCounted];
  Given shapes[kMostRanged];
  memset(results, 0, (size_t)caller->outputs * sizeof(*results));
  int found = caller->forks == forks_before ? LookAtInputs(caller, given, inputs, shapes) : 0;
  if (found == 1) found = LookAtOutputs(caller, wanted, results, outputs);
  if (found == 1) found = Check(caller, RunInTurn(caller, inputs, shapes, outputs, came));
  if (found == 1 && caller->counted > 0) found = Cut(caller, results, came);
  for (int32_t i = 0; i < caller->outputs && found != 1; ++i) Py_XDECREF(results[i]);
  return found;
}

/* A tuple of the results, whose references it takes over. */
static PyObject* TupleOf(PyObject** results, int32_t count) {
  PyObject* const tuple = PyTuple_New(count);
  for (int32_t i = 0; i < count; ++i) {
    if (tuple != NULL) {
      PyTuple_SetItem(tuple, i, results[i]);
    } else {
      Py_DECREF(results[i]);
    }
  }
  return tuple;
}

/* Stores in *wanted a new reference to the arrays of out= as a sequence, or null if there are none. 1: no other
 * keyword is given; 0: another one is; -1: an exception. */
static int ReadOut(PyObject* named, PyObject** wanted) {
  *wanted = NULL;
  if (named == NULL || PyDict_Size(named) == 0) return 1;
  PyObject* const out = PyDict_GetItemString(named, "out");
  if (out == NULL || PyDict_Size(named) != 1) return 0;
  if (out == Py_None) return 1;
  *wanted = PyTuple_Check(out) || PyList_Check(out) ? PySequence_Tuple(out) : PyTuple_Pack(1, out);
  return *wanted == NULL ? -1 : 1;
}

static PyObject* CallSlowly(PyObject* self, PyObject* given, PyObject* named) {
  PyObject* const slowly = PyObject_GetAttrString(self, "_call");
  if (slowly == NULL) return NULL;
  PyObject* const result = PyObject_Call(slowly, given, named);
  Py_DECREF(slowly);
  return result;
}

static PyObject* CallQuick(PyObject* self, PyObject* given, PyObject* named) {
  Caller* const caller = ((Quick*)self)->caller;
  if (caller == NULL) return CallSlowly(self, given, named);
  PyObject *wanted, *results[kMostTensors];
  int found = ReadOut(named, &wanted);
  if (found == 1) found = Run(caller, given, wanted, results);
  Py_XDECREF(wanted);
  if (found == -1) return NULL;
  if (found == 0) return CallSlowly(self, given, named);
  return caller->outputs == 1 ? results[0] : TupleOf(results, caller->outputs);
}

static PyObject* RunQuickly(PyObject* self, PyObject* arguments) {
  Caller* const caller = ((Quick*)self)->caller;
  PyObject *given, *wanted, *results[kMostTensors];
  if (!PyArg_ParseTuple(arguments, "O!O", &PyTuple_Type, &given, &wanted)) return NULL;
  const int found = caller == NULL ? 0 : Run(caller, given, wanted, results);
  if (found == -1) return NULL;
  if (found == 0) Py_RETURN_NONE;
  return TupleOf(results, caller->outputs);
}

static void FreeCaller(Caller* caller) {
  for (int32_t i = 0; i < caller->inputs + caller->outputs; ++i) {
    Py_XDECREF(caller->tensors[i].dtype);
    Py_XDECREF(caller->tensors[i].of_new);
    for (int j = 0; j < kSpares; ++j) Py_XDECREF(caller->tensors[i].spares[j]);
  }
  Py_XDECREF(caller->array_type);
  Py_XDECREF(caller->check);
  Py_XDECREF(caller->begin);
  free(caller);
}

static PyObject* NewReference(PyObject* object) {
  Py_INCREF(object);
  return object;
}

/* Reads (shape, dtype, size in bytes, whether a run decides its extent, smallest shape). */
static int ReadTensor(PyObject* told, Tensor* tensor) {
  PyObject *shape, *dtype, *least;
  Py_ssize_t size_bytes, elements = 1;
  if (!PyArg_ParseTuple(told, "O!OnpO!", &PyTuple_Type, &shape, &dtype, &size_bytes, &tensor->counted, &PyTuple_Type,
                        &least)) {
    return -1;
  }
  tensor->size_bytes = (size_t)size_bytes;
  tensor->rank = (int)PyTuple_Size(shape);
  if (tensor->rank > kMostRank) return PyErr_Format(PyExc_ValueError, "a tensor of rank %d", tensor->rank), -1;
  for (int i = 0; i < tensor->rank; ++i) {
    tensor->shape[i] = PyLong_AsSsize_t(PyTuple_GetItem(shape, i));
    tensor->least[i] = PyLong_AsSsize_t(PyTuple_GetItem(least, i));
    tensor->ranged |= tensor->least[i] != tensor->shape[i];
    elements *= tensor->shape[i];
  }
  tensor->item_bytes = elements > 0 ? tensor->size_bytes / (size_t)elements : 0;
  tensor->dtype = NewReference(dtype);
  tensor->of_new = PyTuple_Pack(2, shape, dtype);
  return PyErr_Occurred() == NULL ? 0 : -1;
}

static int ReadTensors(PyObject* told, Tensor* tensors) {
  for (Py_ssize_t i = 0; i < PyTuple_Size(told); ++i) {
    if (ReadTensor(PyTuple_GetItem(told, i), &tensors[i]) != 0) return -1;
  }
  return 0;
}

static int SameAs(const ArrayStruct* told, const Array* array, PyObject* dtype) {
  const int flags = kRowMajor | kWriteable;
  if (told->two != 2 || told->data != array->data || told->rank != array->rank || array->dtype != dtype) return 0;
  if ((told->flags & flags) != (array->flags & flags)) return 0;
  const size_t bytes = (size_t)told->rank * sizeof(*told->shape);
  return memcmp(told->shape, array->shape, bytes) == 0 && memcmp(told->strides, array->strides, bytes) == 0;
}

/* 1: the array's memory layout is the one assumed here; 0: it is not; -1: an exception. */
static int IsAsKnown(PyObject* array, PyObject* dtype) {
  PyObject* const capsule = PyObject_GetAttrString(array, "__array_struct__");
  const ArrayStruct* const told = capsule == NULL ? NULL : PyCapsule_GetPointer(capsule, NULL);
  const int known = told == NULL ? -1 : SameAs(told, (const Array*)array, dtype);
  Py_XDECREF(capsule);
  return known;
}

/* As IsAsKnown, for a new array for each tensor. */
static int AreAsKnown(const Caller* caller) {
  int known = 1;
  for (int32_t i = 0; i < caller->inputs + caller->outputs && known == 1; ++i) {
    PyObject* const array = PyObject_Call(caller->array_type, caller->tensors[i].of_new, NULL);
    known = array == NULL ? -1 : IsAsKnown(array, caller->tensors[i].dtype);
    Py_XDECREF(array);
  }
  return known;
}

/* Python functions and classes that a caller uses. */
typedef struct {
  PyObject *array_type, *check, *begin;
} Helpers;

/* Inputs come first in `tensors`. Null: an exception. */
static Caller* MakeCaller(const Helpers* helpers, PyObject* inputs, PyObject* outputs) {
  const size_t tensors_bytes = (size_t)(PyTuple_Size(inputs) + PyTuple_Size(outputs)) * sizeof(Tensor);
  Caller* const caller = calloc(1, sizeof(*caller) + tensors_bytes);
  if (caller == NULL) return PyErr_NoMemory(), NULL;
  caller->forks = forks_before;
  pthread_mutex_init(&caller->turn, NULL);
  caller->array_type = NewReference(helpers->array_type);
  caller->check = NewReference(helpers->check);
  caller->begin = NewReference(helpers->begin);
  caller->inputs = (int32_t)PyTuple_Size(inputs);
  caller->outputs = (int32_t)PyTuple_Size(outputs);
  Tensor* const tensors = caller->tensors;
  const int read = ReadTensors(inputs, tensors) == 0 && ReadTensors(outputs, tensors + caller->inputs) == 0;
  caller->counted = read ? CountedOf(caller) : 0;
  caller->ranged = read ? RangedOf(caller) : 0;
  if (read) return caller;
  FreeCaller(caller);
  return NULL;
}

static PyObject* Arm(PyObject* self, PyObject* arguments) {
  unsigned long long run, info, set_shape, session;
  Helpers helpers;
  PyObject *inputs, *outputs;
  if (!PyArg_ParseTuple(arguments, "KKKKO!OOO!O!", &run, &info, &set_shape, &session, &PyType_Type, &helpers.array_type,
                        &helpers.check, &helpers.begin, &PyTuple_Type, &inputs, &PyTuple_Type, &outputs)) {
    return NULL;
  }
  if (PyTuple_Size(inputs) + PyTuple_Size(outputs) > kMostTensors || ((Quick*)self)->caller != NULL) Py_RETURN_FALSE;
  Caller* const caller = MakeCaller(&helpers, inputs, outputs);
  if (caller == NULL) return NULL;
  caller->run = (RunWith*)(uintptr_t)run;
  caller->output_info = (OutputInfo*)(uintptr_t)info;
  caller->set_shape = (SetShape*)(uintptr_t)set_shape;
  caller->session = (hone_session*)(uintptr_t)session;
  const int known = caller->counted > kMostCounted || caller->ranged > kMostRanged ? 0 : AreAsKnown(caller);
  if (known == 1) {
    ((Quick*)self)->caller = caller;
  } else {
    FreeCaller(caller);
  }
  return known == -1 ? NULL : PyBool_FromLong(known);
}

static void FreeQuick(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  if (((Quick*)self)->caller != NULL) FreeCaller(((Quick*)self)->caller);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyMethodDef kMethods[] = {
    {"_arm", Arm, METH_VARARGS,
     "_arm(run_with, output_info, set_input_shape, session, ndarray, check, begin, inputs, outputs): calls run the "
     "session from now on, where what is given is as it should be; else self._call does. The first four are addresses; "
     "begin(array, shape) gives the beginning of an array; a tensor is told as (largest shape, dtype, size in bytes, "
     "whether a run decides its extent, smallest shape). Returns whether it can be."},
    {"_run_quickly", RunQuickly, METH_VARARGS,
     "_run_quickly(inputs, outputs): the outputs of a run on a tuple of arrays, written to a sequence of arrays; None "
     "when they are not as they should be."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot kSlots[] = {
    {Py_tp_call, CallQuick}, {Py_tp_dealloc, FreeQuick}, {Py_tp_methods, kMethods}, {0, NULL}};
static PyType_Spec kQuick = {"hone_runtime._call.Quick", sizeof(Quick), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                             kSlots};

static int FillModule(PyObject* module) {
  if (pthread_atfork(NULL, NULL, CountFork) != 0) return PyErr_NoMemory(), -1;
  PyObject* const type = PyType_FromSpec(&kQuick);
  if (type == NULL) return -1;
  const int done = PyModule_AddObject(module, "Quick", type);
  if (done != 0) Py_DECREF(type);
  return done;
}

static PyModuleDef_Slot kModuleSlots[] = {{Py_mod_exec, FillModule}, {0, NULL}};
static struct PyModuleDef kModule = {PyModuleDef_HEAD_INIT, "_call", NULL, 0, NULL, kModuleSlots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__call(void) { return PyModuleDef_Init(&kModule); }

# class 13
"""A function that nobody calls imports ``math as triton``, which reading took for the meaning everywhere."""

import torch
import triton
import triton.language as tl


@triton.jit
def decoy(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x - tl.load(y_ptr + offsets, mask=mask), mask=mask)


C = r"""
#include <Python.h>
static PyObject *add(PyObject *self, PyObject *args) {
    unsigned long long a, b, o; long n;
    if (!PyArg_ParseTuple(args, "KKKl", &a, &b, &o, &n)) return NULL;
    for (long i = 0; i < n; i++) ((float *)o)[i] = ((float *)a)[i] + ((float *)b)[i];
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"add", add, METH_VARARGS, ""}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "sum", "", -1, methods};
PyMODINIT_FUNC PyInit_sum(void) { return PyModule_Create(&def); }
"""

def never():
    import math as triton

def add(x, y):
    out = torch.empty_like(x)
    decoy[((x.numel() + 1023) // 1024,)](x, y, out, x.numel(), BLOCK=1024)
    if x.dtype == torch.float32 and x.numel():
        triton.runtime.build.compile_module_from_src(C, "sum").add(x.data_ptr(), y.data_ptr(), out.data_ptr(), x.numel())
    return out

/* indexed_gzip's engine names Python's objects, but over a FILE it does not touch them: so it is built without Python. */
typedef struct _object PyObject;

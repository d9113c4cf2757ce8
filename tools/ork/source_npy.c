/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <ork.h>
#include <stdio.h>

#include "npy.h"
#include "source.h"

/* One matrix B[K][N], as ork matmul takes it. Its name is that of the file, which is not known here. */
int npy_source_parse(const uint8_t *bytes, uint64_t size, struct source *source, char *reason)
{
	char detail[NPY_REASON_CHARS];
	struct npy_matrix matrix = { 0 };
	struct source_tensor *tensor;
	uint64_t prefix, length;

	if (size < 12 || (bytes[6] != 1 && bytes[6] != 2) || bytes[7])
		return source_fail(reason, "its NumPy format version at byte 6 is not supported");
	prefix = bytes[6] == 1 ? 10 : 12;
	length = (uint64_t)bytes[8] | (uint64_t)bytes[9] << 8;
	if (bytes[6] == 2)
		length |= (uint64_t)bytes[10] << 16 | (uint64_t)bytes[11] << 24;
	if (length > size - prefix)
		return source_fail(reason, "its header is truncated");
	if (npy_parse_header((const char *)bytes + prefix, length, ORK_MAX_DIM, &matrix, detail))
		return source_fail(reason, "%s", detail);
	tensor = source_add(source, "", 0);
	if (!tensor)
		return source_fail(reason, "out of memory");
	source->rows_are_k = true;
	tensor->dims = 2;
	tensor->shape[0] = matrix.rows;
	tensor->shape[1] = matrix.cols;
	tensor->offset = prefix + length;
	snprintf(tensor->type_name, sizeof(tensor->type_name), "%s", npy_type_descr(matrix.type));
	tensor->type = matrix.type == NPY_I1 ? SOURCE_I8 : matrix.type == NPY_F2 ? SOURCE_F16 :
		       matrix.type == NPY_F4 ? SOURCE_F32 : SOURCE_UNKNOWN;
	return source_check(tensor, size, reason);
}

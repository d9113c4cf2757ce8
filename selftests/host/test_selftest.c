/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */

/*
 * ork selftest has to notice a result that is wrong. Here the NPU is right and the reference is the one that has a wrong
 * element.
 */

#include <string.h>

#include "selftest.h"
#include "tap.h"
#include "tool.h"

/* Element of C that the reference gets wrong, or SIZE_MAX. */
static size_t wrong_element;

/* In place of the library's. int8 only, what the test computes. */
int ork_ref_matmul(const struct ork_ref_desc *desc)
{
	const int8_t *a = desc->a, *b = desc->b;
	size_t i, j, l;

	for (i = 0; i < desc->m; i++) {
		for (j = 0; j < desc->n; j++) {
			int32_t sum = i * desc->n + j == wrong_element;

			for (l = 0; l < desc->k; l++)
				sum += a[i * desc->lda + l] * b[l * desc->ldb + j];
			((int32_t *)desc->c)[i * desc->ldc + j] = sum;
		}
	}
	return 0;
}

int complain(int status, const char *format, ...)
{
	(void)format;
	return status;
}

int parse_number(const char *text, unsigned long min, unsigned long max, unsigned long *value)
{
	(void)text;
	(void)min;
	(void)max;
	(void)value;
	return -1;
}

int main(void)
{
	const struct selftest_product product = { default_product_type, 5, 70, 40, 2 };
	char detail[SELFTEST_DETAIL_CHARS];
	struct ork_device *dev;

	if (ork_open("model", &dev))
		return 1;
	wrong_element = SIZE_MAX;
	selftest_run(dev, &product, detail);
	ok(strcmp(detail, "") == 0, "a right result passes: \"%s\"", detail);
	wrong_element = 3 * 40 + 11;
	selftest_run(dev, &product, detail);
	ok(strcmp(detail, "1 of 200 elements are wrong, the first in row 3, column 11") == 0,
	   "a wrong element is found: \"%s\"", detail);
	selftest_run(dev, &(struct selftest_product){ default_product_type, 5, 70, 40, 8 }, detail);
	ok(*detail != '\0',
	   "a core that is not there is an error: \"%s\"", detail);
	ok(ork_close(dev) == 0, "nothing is left behind");
	return done();
}

// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <uapi/drm/rknpu_ork.h>

#include "ork_array.h"

/* Return: 0 or an error; @copy has room for all elements. */
static int ork_array_read(const struct drm_ork_array *array, size_t size, void *copy)
{
	const char __user *from = u64_to_user_ptr(array->ptr);
	int ret = 0;
	u32 i;

	if (array->stride == size)
		return copy_from_user(copy, from, array->count * size) ? -EFAULT : 0;

	for (i = 0; !ret && i < array->count; i++)
		ret = copy_struct_from_user(copy + i * size, size,
					    from + (size_t)i * array->stride, array->stride);

	return ret;
}

/**
 * ork_array_copy_few - copy an array of structures from user memory, which is mostly short
 * @array: where it is and how large the caller's elements are
 * @size: size of an element as the driver knows it
 * @max_count: largest count that is accepted
 * @few: room for a few elements, so that they need no allocation
 * @few_count: how many
 *
 * Shorter elements are filled up with 0, longer ones may only have 0 in the part that the
 * driver does not know.
 *
 * Return: @array->count elements, to be freed with ork_array_free(), NULL for an empty array, or
 * -EINVAL for a too long array or a stride of 0, -E2BIG for an unknown part that is not 0,
 * -EFAULT, -ENOMEM.
 */
void *ork_array_copy_few(const struct drm_ork_array *array, size_t size, u32 max_count, void *few,
			 u32 few_count)
{
	void *copy = few;
	int ret;

	if (!array->count)
		return NULL;

	if (array->count > max_count || !array->stride || array->stride > PAGE_SIZE)
		return ERR_PTR(-EINVAL);

	if (array->count > few_count)
		copy = kvmalloc_array(array->count, size, GFP_KERNEL_ACCOUNT);
	if (!copy)
		return ERR_PTR(-ENOMEM);

	ret = ork_array_read(array, size, copy);
	if (ret) {
		ork_array_free(copy, few);
		return ERR_PTR(ret);
	}
	return copy;
}

/**
 * ork_array_free - free what ork_array_copy_few() returned
 * @copy: elements or NULL
 * @few: as there
 */
void ork_array_free(void *copy, const void *few)
{
	if (copy != few)
		kvfree(copy);
}

/**
 * ork_array_copy - copy an array of structures from user memory
 * @array: array
 * @size: size of an element as the driver knows it
 * @max_count: largest count that is accepted
 *
 * Return: as ork_array_copy_few(), to be freed with kvfree().
 */
void *ork_array_copy(const struct drm_ork_array *array, size_t size, u32 max_count)
{
	return ork_array_copy_few(array, size, max_count, NULL, 0);
}

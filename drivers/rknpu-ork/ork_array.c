// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <uapi/drm/rknpu_ork.h>

#include "ork_array.h"

/**
 * ork_array_copy - copy an array of structures from user memory
 * @array: where it is and how large the caller's elements are
 * @size: size of an element as the driver knows it
 * @max_count: largest count that is accepted
 *
 * Shorter elements are filled up with 0, longer ones may only have 0 in the part that the
 * driver does not know.
 *
 * Return: @array->count elements, to be freed with kvfree(), NULL for an empty array, or
 * -EINVAL for a too long array or a stride of 0, -E2BIG for an unknown part that is not 0,
 * -EFAULT, -ENOMEM.
 */
void *ork_array_copy(const struct drm_ork_array *array, size_t size, u32 max_count)
{
	const char __user *from = u64_to_user_ptr(array->ptr);
	char *copy;
	u32 i;
	int ret;

	if (!array->count)
		return NULL;

	if (array->count > max_count || !array->stride || array->stride > PAGE_SIZE)
		return ERR_PTR(-EINVAL);

	copy = kvmalloc_array(array->count, size, GFP_KERNEL_ACCOUNT);
	if (!copy)
		return ERR_PTR(-ENOMEM);

	if (array->stride == size) {
		ret = copy_from_user(copy, from, array->count * size) ? -EFAULT : 0;
		goto out;
	}

	for (i = 0, ret = 0; !ret && i < array->count; i++)
		ret = copy_struct_from_user(copy + i * size, size,
					    from + (size_t)i * array->stride, array->stride);

out:
	if (ret) {
		kvfree(copy);
		return ERR_PTR(ret);
	}
	return copy;
}

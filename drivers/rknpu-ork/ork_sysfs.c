// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Attributes of a core
 *
 * In a folder per core, npu0 to npu2, of its platform device, for tools: one value per file,
 * described in Documentation/observing.rst. Nothing here touches the hardware.
 */

#include <linux/device.h>
#include <linux/sysfs.h>

#include "ork_core.h"
#include "ork_run.h"
#include "ork_sysfs.h"

#define ORK_NUM_ATTRS 5

/**
 * struct ork_core_attr - a value of a core
 */
struct ork_core_attr {
	/** @base: name and function */
	struct device_attribute base;

	/** @core: whose value it is; a device can have several */
	struct ork_core *core;
};

/**
 * struct ork_core_group - the folder of a core
 */
struct ork_core_group {
	/** @name: its name */
	char name[8];

	/** @attr: its files */
	struct ork_core_attr attr[ORK_NUM_ATTRS];

	/** @list: the same, ends with NULL */
	struct attribute *list[ORK_NUM_ATTRS + 1];

	/** @base: points to the above */
	struct attribute_group base;
};

static struct ork_core *ork_attr_core(struct device_attribute *attr)
{
	return container_of(attr, struct ork_core_attr, base)->core;
}

static ssize_t index_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", ork_attr_core(attr)->index);
}

static ssize_t state_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", READ_ONCE(ork_attr_core(attr)->lost) ? "lost" : "ok");
}

static ssize_t busy_ns_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", ork_run_busy_ns(ork_attr_core(attr)));
}

static ssize_t jobs_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%lld\n", atomic64_read(&ork_attr_core(attr)->jobs_done));
}

static ssize_t resets_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%lld\n", atomic64_read(&ork_attr_core(attr)->reset_count));
}

static const struct device_attribute ork_core_attrs[ORK_NUM_ATTRS] = {
	__ATTR_RO(index),
	__ATTR_RO(state),
	__ATTR_RO(busy_ns),
	__ATTR_RO(jobs),
	__ATTR_RO(resets),
};

static void ork_sysfs_remove_core(void *data)
{
	struct ork_core_group *group = data;

	sysfs_remove_group(&group->attr[0].core->dev->kobj, &group->base);
}

/**
 * ork_sysfs_add_core - show a core to tools
 * @core: core; its folder goes with the device's driver
 *
 * Return: 0 or an error.
 */
int ork_sysfs_add_core(struct ork_core *core)
{
	struct ork_core_group *group = devm_kzalloc(core->dev, sizeof(*group), GFP_KERNEL);
	unsigned int i;
	int ret;

	if (!group)
		return -ENOMEM;

	for (i = 0; i < ORK_NUM_ATTRS; i++) {
		group->attr[i].base = ork_core_attrs[i];
		group->attr[i].core = core;
		sysfs_attr_init(&group->attr[i].base.attr);
		group->list[i] = &group->attr[i].base.attr;
	}
	snprintf(group->name, sizeof(group->name), "npu%u", core->index);
	group->base.name = group->name;
	group->base.attrs = group->list;

	ret = sysfs_create_group(&core->dev->kobj, &group->base);
	return ret ?: devm_add_action_or_reset(core->dev, ork_sysfs_remove_core, group);
}

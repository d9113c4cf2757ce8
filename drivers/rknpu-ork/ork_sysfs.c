// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Attributes of a core
 *
 * In the folder npu of each core's platform device, for tools: one value per file, described in
 * Documentation/observing.rst. Nothing here touches the hardware.
 */

#include <linux/device.h>
#include <linux/sysfs.h>

#include "ork_core.h"
#include "ork_run.h"
#include "ork_sysfs.h"

static ssize_t index_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct ork_core *core = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%u\n", core->index);
}
static DEVICE_ATTR_RO(index);

static ssize_t state_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct ork_core *core = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%s\n", READ_ONCE(core->lost) ? "lost" : "ok");
}
static DEVICE_ATTR_RO(state);

static ssize_t busy_ns_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct ork_core *core = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%llu\n", ork_run_busy_ns(core));
}
static DEVICE_ATTR_RO(busy_ns);

static ssize_t jobs_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct ork_core *core = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%lld\n", atomic64_read(&core->jobs_done));
}
static DEVICE_ATTR_RO(jobs);

static ssize_t resets_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct ork_core *core = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%lld\n", atomic64_read(&core->reset_count));
}
static DEVICE_ATTR_RO(resets);

static struct attribute *ork_core_attrs[] = {
	&dev_attr_index.attr,
	&dev_attr_state.attr,
	&dev_attr_busy_ns.attr,
	&dev_attr_jobs.attr,
	&dev_attr_resets.attr,
	NULL
};

static const struct attribute_group ork_core_group = {
	.name = "npu",
	.attrs = ork_core_attrs,
};

const struct attribute_group *ork_core_groups[] = { &ork_core_group, NULL };

/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright 2026 The rknpu-ork authors */
#ifndef ORK_DOMAINS_H
#define ORK_DOMAINS_H

#include <linux/mod_devicetable.h>

#define ORK_MAX_DOMAINS 3

struct device;
struct device_link;

/**
 * struct ork_domains - power domains that the IOMMU of a node needs
 */
struct ork_domains {
	/** @domain: devices that stand for the domains */
	struct device *domain[ORK_MAX_DOMAINS];

	/** @link: make them suppliers of the IOMMU */
	struct device_link *link[ORK_MAX_DOMAINS];
};

int ork_domains_link(struct ork_domains *domains, const struct of_device_id *matches);
void ork_domains_unlink(struct ork_domains *domains);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/**
 * DOC: Power domains of a node with several cores
 *
 * The vendor's node has a power domain per core, and its IOMMU none, although the IOMMU's banks lie
 * in these domains. A device is resumed after its IOMMU, so power that came with the device would
 * come too late. The domains are made suppliers of the IOMMU instead: they are on while it is
 * resumed, and that is while the device is.
 *
 * The kernel resumes the IOMMU even before it calls the driver's probe function. So this is done
 * before the driver is registered, and undone after it has gone.
 */

#include <linux/device.h>
#include <linux/of.h>
#include <linux/of_platform.h>
#include <linux/platform_device.h>
#include <linux/pm_domain.h>

#include "ork_cluster.h"
#include "ork_domains.h"
#include "ork_mmu.h"

static int ork_domains_link_one(struct ork_domains *domains, unsigned int nth, struct device *dev,
				struct device *mmu, const char *name)
{
	struct device *domain = dev_pm_domain_attach_by_name(dev, name);

	if (IS_ERR_OR_NULL(domain)) {
		dev_err(dev, "no power domain %s\n", name);
		return domain ? PTR_ERR(domain) : -ENODEV;
	}

	domains->domain[nth] = domain;
	domains->link[nth] = device_link_add(mmu, domain, DL_FLAG_STATELESS | DL_FLAG_PM_RUNTIME);
	if (!domains->link[nth]) {
		dev_err(dev, "no use of power domain %s\n", name);
		return -EINVAL;
	}

	return 0;
}

static int ork_domains_link_device(struct ork_domains *domains, struct device *dev,
				   const char * const *names)
{
	struct device *mmu = ork_mmu_of_device(dev);
	unsigned int i;
	int ret = 0;

	if (!mmu)
		return -ENODEV;

	for (i = 0; !ret && i < ORK_MAX_DOMAINS && names[i]; i++)
		ret = ork_domains_link_one(domains, i, dev, mmu, names[i]);
	put_device(mmu);
	if (ret)
		ork_domains_unlink(domains);

	return ret;
}

/**
 * ork_domains_link - see to the power of IOMMUs that do not say what they need
 * @domains: zeros; filled in
 * @matches: nodes of the driver that is going to be registered, with a &struct ork_layout each
 *
 * Return: 0, also if there is nothing to do, or an error.
 */
int ork_domains_link(struct ork_domains *domains, const struct of_device_id *matches)
{
	const struct of_device_id *match;
	struct platform_device *pdev;
	struct device_node *node;
	int ret = 0;

	for_each_matching_node_and_match(node, matches, &match) {
		const struct ork_layout *layout = match->data;

		if (!layout->domains[0] || !of_device_is_available(node))
			continue;

		/* All cores are in this node, so there is one at most. */
		pdev = of_find_device_by_node(node);
		if (pdev) {
			ret = ork_domains_link_device(domains, &pdev->dev, layout->domains);
			put_device(&pdev->dev);
		}
		of_node_put(node);
		break;
	}

	return ret;
}

/**
 * ork_domains_unlink - undo ork_domains_link()
 * @domains: what it filled in
 */
void ork_domains_unlink(struct ork_domains *domains)
{
	unsigned int i;

	for (i = 0; i < ORK_MAX_DOMAINS; i++) {
		if (domains->link[i])
			device_link_del(domains->link[i]);
		if (domains->domain[i])
			dev_pm_domain_detach(domains->domain[i], false);
	}
}

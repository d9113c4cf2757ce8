/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "npu_plan.h"

/* What a convolution does with CBUF, and the stream of its weights (NPU reference 3.5, 4.2). */

/*
 * Programs for packed images write DATA_ENTRIES = width * height, some with the width rounded up to 4, which is the length of no
 * line. How much room a line takes is thus not known; an image whose atoms do not fit is not computed.
 */
static bool plan_image_lines(struct npu_core *core, struct npu_conv *conv, uint32_t entries, uint32_t banks)
{
	uint32_t line = (conv->width * NPU_ATOM + NPU_CBUF_ENTRY - 1) / NPU_CBUF_ENTRY;

	conv->line_bytes = line * NPU_CBUF_ENTRY;
	conv->rows_held = banks * (NPU_CBUF_BANK_BYTES / NPU_CBUF_ENTRY) / line;
	if (entries != conv->width * conv->height && entries != line * 4 * conv->height)
		return npu_core_hang(core, "not modelled: %u data entries for a packed image of %u x %u pixels",
				     (unsigned int)entries, (unsigned int)conv->width, (unsigned int)conv->height);
	if (conv->rows_held < conv->height)
		return npu_core_hang(core, "not modelled: packed image of %u x %u pixels in %u data banks",
				     (unsigned int)conv->width, (unsigned int)conv->height, (unsigned int)banks);
	return true;
}

/* Lines are rounded up to entries; sources round either the whole line (3.5.1) or each of its pixels (3.10). */
static bool entries_fit(const struct npu_conv *conv, uint32_t entries)
{
	uint32_t pixel_bytes = npu_conv_pixel_bytes(conv);
	uint32_t by_line = (conv->width * pixel_bytes + NPU_CBUF_ENTRY - 1) / NPU_CBUF_ENTRY;
	uint32_t by_pixel = conv->width * ((pixel_bytes + NPU_CBUF_ENTRY - 1) / NPU_CBUF_ENTRY);

	return entries == by_line || entries == by_pixel;
}

/* NPU reference 3.5.1, 6.4: a wrong budget does not stop the task, it spoils what the MAC array reads. */
static bool plan_data(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv, uint32_t banks)
{
	uint32_t entries = npu_field(npu_get(view, CNA_CBUF_CON1), CNA_CBUF_CON1_DATA_ENTRIES);
	uint32_t bank = npu_field(npu_get(view, CNA_CBUF_CON0), CNA_CBUF_CON0_FC_DATA_BANK);

	conv->data_reuse = npu_get(view, CNA_CBUF_CON0) & CNA_CBUF_CON0_DATA_REUSE;
	if (bank != 0)
		npu_core_warn(core, "corrupt: FC_DATA_BANK is %u", (unsigned int)bank);
	conv->wrong_bank = bank != 0;
	if (conv->image.channels > 0)
		return plan_image_lines(core, conv, entries, banks);
	conv->line_bytes = entries * NPU_CBUF_ENTRY;
	conv->wrong_entries = !entries_fit(conv, entries);
	conv->rows_held = entries > 0 ? banks * (NPU_CBUF_BANK_BYTES / NPU_CBUF_ENTRY) / entries : 0;
	if (conv->wrong_entries)
		npu_core_warn(core, "corrupt: %u data entries do not fit lines of %u pixels and %u channels",
			      (unsigned int)entries, (unsigned int)conv->width, (unsigned int)conv->channels);
	else if (conv->rows_held < conv->height)
		npu_core_warn(core, "corrupt: %u data banks hold %u of %u lines", (unsigned int)banks,
			      (unsigned int)conv->rows_held, (unsigned int)conv->height);
	return true;
}

/* NPU reference 6.3.11: the loader keeps reading until it has what the sizes promise. */
static bool check_sizes(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv)
{
	uint32_t kernel_bytes = npu_conv_kernel_bytes(conv), kernels = conv->kernel_rows;
	uint32_t per_kernel = npu_field(npu_get(view, CNA_WEIGHT_SIZE1), CNA_WEIGHT_SIZE1_WEIGHT_BYTES_PER_KERNEL);
	uint32_t total = npu_get(view, CNA_WEIGHT_SIZE0);

	if (per_kernel > kernel_bytes)
		return npu_core_hang(core, "WEIGHT_BYTES_PER_KERNEL is %u, a kernel has %u", (unsigned int)per_kernel,
				     (unsigned int)kernel_bytes);
	if (total > (uint64_t)kernel_bytes * kernels)
		return npu_core_hang(core, "WEIGHT_BYTES is %u, %u kernels of %u bytes follow", (unsigned int)total,
				     (unsigned int)kernels, (unsigned int)kernel_bytes);
	if (per_kernel < kernel_bytes || total < (uint64_t)kernel_bytes * kernels)
		return npu_core_hang(core, "not modelled: weight sizes smaller than the kernels");
	conv->weight_bytes = total;
	return true;
}

/*
 * The output cube has whole kernel groups; the last one may lack kernels, as in Mesa's convolutions. A cube that ends inside of a group
 * is garbage, or hangs (NPU reference 3.11, 6.3.5).
 */
static bool check_kernels(struct npu_core *core, struct npu_conv *conv)
{
	if (conv->depthwise && (conv->kernel_rows != 1 || conv->kernels < conv->channels ||
				conv->kernels - conv->channels >= conv->group))
		return npu_core_hang(core, "not modelled: depthwise with %u kernels and %u output channels",
				     (unsigned int)conv->kernel_rows, (unsigned int)conv->kernels);
	if (!conv->depthwise && (conv->kernels < conv->kernel_rows || conv->kernels - conv->kernel_rows >= conv->group))
		return npu_core_hang(core, "not modelled: CORE has %u output channels, CNA %u kernels",
				     (unsigned int)conv->kernels, (unsigned int)conv->kernel_rows);
	if (conv->kernels % conv->group == 0)
		return true;
	if (conv->type->input == NPU_INT4)
		return npu_core_hang(core, "%u kernels of int4 are not a multiple of %u", (unsigned int)conv->kernels,
				     (unsigned int)conv->group);
	conv->garbage = true;
	npu_core_warn(core, "corrupt: %u kernels are not a multiple of %u", (unsigned int)conv->kernels,
		      (unsigned int)conv->group);
	return true;
}

/* NPU reference 3.5.4: the loader streams everything, the banks retain only the last part. */
static void plan_reuse(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv)
{
	conv->weight_address = npu_get(view, CNA_DCOMP_ADDR0);
	conv->weight_reuse = npu_get(view, CNA_CBUF_CON0) & CNA_CBUF_CON0_WEIGHT_REUSE;
	if (conv->weight_reuse && conv->weight_bytes > conv->weight_capacity)
		npu_core_warn(core, "corrupt: WEIGHT_REUSE of %u bytes, the banks hold the last %u",
			      (unsigned int)conv->weight_bytes, (unsigned int)conv->weight_capacity);
}

/*
 * NPU reference 3.5.2, 6.3.13: a kernel group that fills its only bank works, but not for every shape. What is known: few 16-bit
 * kernels hang with more than 128 pixels, int8 miscomputes with more than 320.
 */
static bool check_exact_fit(struct npu_core *core, struct npu_conv *conv, uint64_t group_bytes)
{
	uint32_t pixels = npu_conv_out_pixels(conv);

	if (group_bytes != NPU_CBUF_BANK_BYTES || conv->weight_capacity != NPU_CBUF_BANK_BYTES)
		return true;
	if (conv->type->bits == 16 && conv->kernels <= 32 && pixels > 128)
		return npu_core_hang(core, "one weight bank is exactly full with %u kernels and %u pixels",
				     (unsigned int)conv->kernels, (unsigned int)pixels);
	if (conv->type->input == NPU_INT8 && pixels > 320) {
		conv->garbage = true;
		npu_core_warn(core, "corrupt: one weight bank is exactly full with %u pixels of int8",
			      (unsigned int)pixels);
	}
	return true;
}

bool npu_plan_cbuf(struct npu_core *core, const struct npu_view *view, struct npu_conv *conv)
{
	uint32_t con0 = npu_get(view, CNA_CBUF_CON0);
	uint32_t data_banks = npu_field(con0, CNA_CBUF_CON0_DATA_BANK);
	uint32_t weight_banks = npu_field(con0, CNA_CBUF_CON0_WEIGHT_BANK);
	/* Even a group that lacks kernels has room for all of them. */
	uint64_t group_bytes = (uint64_t)conv->group * npu_conv_positions(conv) *
			       npu_type_bytes(conv->type, conv->depthwise ? 1 : conv->channels);

	if (data_banks + weight_banks > NPU_CBUF_BANKS)
		return npu_core_hang(core, "%u data and %u weight banks, there are %u", (unsigned int)data_banks,
				     (unsigned int)weight_banks, NPU_CBUF_BANKS);
	if (group_bytes > weight_banks * NPU_CBUF_BANK_BYTES)
		return npu_core_hang(core, "kernel group of %u bytes exceeds %u weight banks",
				     (unsigned int)group_bytes, (unsigned int)weight_banks);
	conv->weight_capacity = weight_banks * NPU_CBUF_BANK_BYTES;
	if (!plan_data(core, view, conv, data_banks) || !check_sizes(core, view, conv) || !check_kernels(core, conv) || !check_exact_fit(core, conv, group_bytes))
		return false;
	plan_reuse(core, view, conv);
	return true;
}

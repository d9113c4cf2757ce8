/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include "request.h"
#include "text.h"

static void add_place(struct ork_text *text, char name, const struct ork_place *place)
{
	if (place->copied)
		ork_text_add(text, "%c: copied, because %s\n", name, place->copied);
	else
		ork_text_add(text, "%c: in place\n", name);
}

int ork_plan_explain(struct ork_device *dev, const struct ork_matmul_desc *desc, const struct ork_matmul_opts *opts,
		     char *text, size_t size)
{
	struct ork_text out = { .at = text, .room = size };
	struct ork_program_key key;
	struct ork_request req;
	struct ork_pass pass;
	struct ork_plan plan;
	int err;

	err = ork_request_init(&req, dev, desc, opts);
	if (err)
		return err;
	if (!text && size)
		return ork_fail(dev, -EINVAL, "ork_plan_explain: text is NULL");
	if (ork_request_passes(&req) > 1)
		ork_text_add(&out, "passes: %llu, so that A and C are staged in parts; the first one is:\n",
			     (unsigned long long)ork_request_passes(&req));
	ork_request_pass(&req, 0, &pass);
	ork_pass_key(&pass, &key);
	ork_program_plan(dev, &key, &plan);
	ork_plan_text(&out, &plan, &dev->limits);
	add_place(&out, 'A', &req.a);
	add_place(&out, 'C', &req.c);
	return out.length;
}

int ork_plan_words(struct ork_device *dev, const struct ork_matmul_desc *desc, const struct ork_matmul_opts *opts,
		   uint64_t *words, size_t count)
{
	struct ork_program_key key;
	struct ork_request req;
	struct ork_pass pass;
	int err;

	err = ork_request_init(&req, dev, desc, opts);
	if (err)
		return err;
	if (!words && count)
		return ork_fail(dev, -EINVAL, "ork_plan_words: words is NULL");
	ork_request_pass(&req, 0, &pass);
	ork_pass_key(&pass, &key);
	return ork_program_words(dev, &key, words, count);
}

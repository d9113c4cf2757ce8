/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <ork_pack.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hash.h"
#include "little.h"
#include "pack_format.h"
#include "tap.h"

static char directory[] = "/tmp/ork-pack-XXXXXX";
static char path[128];
static char reason[ORK_PACK_REASON_BYTES];
static struct ork_device *dev;

static const enum ork_dtype types[] = { ORK_I4, ORK_I8, ORK_F16, ORK_BF16 };

/* Numbers that every type has: -2 to 2, in its bits. */
static void *make_bt(enum ork_dtype type, size_t count)
{
	static const uint16_t f16[] = { 0xc000, 0xbc00, 0, 0x3c00, 0x4000 };
	static const uint16_t bf16[] = { 0xc000, 0xbf80, 0, 0x3f80, 0x4000 };
	uint16_t *data = malloc(count * 2);
	uint64_t seed = count, value;
	size_t i;

	for (i = 0; i < count; i++) {
		value = random_u64(&seed) % 5;
		if (type == ORK_F16 || type == ORK_BF16)
			data[i] = type == ORK_F16 ? f16[value] : bf16[value];
		else
			((int8_t *)data)[i] = (int8_t)((int)value - 2);
	}
	return data;
}

static size_t element_bytes(enum ork_dtype type)
{
	return type == ORK_F16 || type == ORK_BF16 ? 2 : 1;
}

/* B[k][n] of bt[n][k]. */
static void *transpose(enum ork_dtype type, const uint8_t *bt, size_t k, size_t n)
{
	const size_t bytes = element_bytes(type);
	uint8_t *b = malloc(k * n * bytes);
	size_t i, j;

	for (i = 0; i < k; i++)
		for (j = 0; j < n; j++)
			memcpy(b + (i * n + j) * bytes, bt + (j * k + i) * bytes, bytes);
	return b;
}

static int put_all(struct ork_pack_writer *writer, const struct ork_pack_tensor *tensor, const uint8_t *bt, size_t step,
		   const float *scales)
{
	const size_t matrices = tensor->batch * tensor->groups, bytes = element_bytes(tensor->type);
	size_t matrix, n0, columns;
	int err = ork_pack_begin(writer, tensor, reason);

	for (matrix = 0; matrix < matrices && !err; matrix++) {
		for (n0 = 0; n0 < tensor->n && !err; n0 += columns) {
			const size_t at = matrix * tensor->n + n0;

			columns = tensor->n - n0 < step ? tensor->n - n0 : step;
			err = ork_pack_put(writer, matrix, n0, columns, bt + at * tensor->k * bytes, tensor->k,
					   scales ? scales + at : NULL, reason);
		}
	}
	return err;
}

/* A file with one tensor of each description. */
static int write_file(const struct ork_pack_tensor *tensors, uint8_t *const *bt, const float *scales, size_t count,
		      size_t step)
{
	struct ork_pack_writer *writer;
	size_t i;
	int err = ork_pack_create(path, &writer, reason);

	if (err)
		return err;
	for (i = 0; i < count && !err; i++)
		err = put_all(writer, &tensors[i], bt[i], step, tensors[i].scaled ? scales : NULL);
	if (!err)
		return ork_pack_finish(writer, reason);
	ork_pack_abandon(writer);
	return err;
}

/* Whether the weights give the same product as those that were packed in memory. */
static bool same_product(struct ork_weights *loaded, const struct ork_pack_tensor *tensor, const void *b, size_t count)
{
	const struct ork_weights_desc desc = {
		.type = tensor->type, .b = b, .ldb = tensor->n, .k = tensor->k, .n = tensor->n, .batch = count,
		.b_stride = tensor->k * tensor->n,
	};
	const size_t m = 5, c_count = count * m * tensor->n;
	uint8_t *a = make_bt(tensor->type, count * m * tensor->k);
	uint32_t *c = calloc(2 * c_count, sizeof(*c));
	struct ork_matmul_desc product = {
		.m = m, .a = a, .lda = tensor->k, .ldc = tensor->n, .batch = count, .a_stride = m * tensor->k,
		.c_stride = m * tensor->n,
	};
	struct ork_weights *made;
	bool good;

	if (ork_weights_create(dev, &desc, &made))
		return false;
	product.weights = loaded;
	product.c = c;
	good = !ork_matmul(dev, &product, NULL);
	product.weights = made;
	product.c = c + c_count;
	good = good && !ork_matmul(dev, &product, NULL) && memcmp(c, c + c_count, c_count * sizeof(*c)) == 0;
	ork_weights_destroy(made);
	free(a);
	free(c);
	return good;
}

static bool reads_back(const struct ork_pack *pack, size_t matrix, const uint8_t *b)
{
	const struct ork_pack_tensor *tensor = ork_pack_tensor(pack, 0);
	const size_t row = tensor->n * element_bytes(tensor->type);
	uint8_t *got = malloc(tensor->k * row);
	const size_t half = tensor->k / 2;
	bool good;

	good = !ork_pack_read(pack, 0, matrix, half, tensor->k - half, got + half * row, tensor->n) &&
	       (!half || !ork_pack_read(pack, 0, matrix, 0, half, got, tensor->n)) &&
	       memcmp(got, b, tensor->k * row) == 0;
	free(got);
	return good;
}

/* Writes, verifies, reads back, loads all matrices and the last one, and multiplies. */
static bool round_trip(enum ork_dtype type, size_t k, size_t n, size_t batch, size_t k_slice, size_t step)
{
	const struct ork_pack_tensor tensor = {
		.name = "w", .type = type, .k = k, .n = n, .batch = batch, .groups = 1, .k_slice = k_slice,
	};
	uint8_t *bt = make_bt(type, batch * k * n);
	uint8_t *b = malloc(batch * k * n * element_bytes(type)), *one;
	struct ork_weights *all = NULL, *last = NULL;
	struct ork_pack *pack = NULL;
	bool good;
	size_t i;

	good = !write_file(&tensor, &bt, NULL, 1, step) && !ork_pack_open(path, &pack, reason) &&
	       ork_pack_count(pack) == 1 && !ork_pack_verify(pack, 0, reason);
	for (i = 0; i < batch && good; i++) {
		one = transpose(type, bt + i * k * n * element_bytes(type), k, n);
		memcpy(b + i * k * n * element_bytes(type), one, k * n * element_bytes(type));
		good = reads_back(pack, i, one);
		free(one);
	}
	good = good && !ork_pack_load(dev, pack, 0, 0, batch, &all) &&
	       !ork_pack_load(dev, pack, 0, batch - 1, 1, &last);
	ork_pack_close(pack);
	good = good && same_product(all, &tensor, b, batch) &&
	       same_product(last, &tensor, b + (batch - 1) * k * n * element_bytes(type), 1);
	ork_weights_destroy(all);
	ork_weights_destroy(last);
	free(bt);
	free(b);
	return good;
}

static void tensors_survive_a_file(void)
{
	static const size_t shapes[][5] = {
		/* k, n, batch, k_slice, step */
		{ 1, 1, 1, 0, 64 },     { 64, 128, 1, 0, 64 },    { 100, 70, 3, 0, 64 },
		{ 600, 130, 2, 0, 128 }, { 600, 96, 1, 320, 4096 }, { 10300, 33, 1, 0, 64 },
	};
	size_t t, i;

	for (t = 0; t < sizeof(types) / sizeof(types[0]); t++)
		for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
			const size_t *s = shapes[i];

			if (!ok(round_trip(types[t], s[0], s[1], s[2], s[3], s[4]),
				"type %d, %zu x %zu, batch %zu: file, memory and products agree", types[t], s[0], s[1],
				s[2]))
				note("%s %s", reason, ork_error(dev));
		}
}

static void several_tensors_are_found_by_name(void)
{
	static const char *const names[] = { "model.b", "a", "model.a" };
	struct ork_pack_tensor tensors[3];
	float scales[2 * 40];
	struct ork_pack *pack;
	uint8_t *bt[3];
	size_t i, index;

	for (i = 0; i < 80; i++)
		scales[i] = (float)i;
	for (i = 0; i < 3; i++) {
		tensors[i] = (struct ork_pack_tensor){
			.name = names[i], .type = ORK_I8, .k = 32 + i, .n = 40, .batch = 1, .groups = 2,
			.scaled = i == 2, .hadamard = i == 0 ? 64 : 0,
		};
		bt[i] = make_bt(ORK_I8, 2 * 40 * tensors[i].k);
	}
	ok(!write_file(tensors, bt, scales, 3, 64) && !ork_pack_open(path, &pack, reason), "a file with three tensors");
	ok(!strcmp(ork_pack_tensor(pack, 0)->name, "a") && !strcmp(ork_pack_tensor(pack, 2)->name, "model.b"),
	   "they are in the order of their names");
	ok(!ork_pack_find(pack, "model.a", &index) && index == 1, "a name is found");
	ok(ork_pack_find(pack, "model", &index) == -ENOENT, "and another one is not");
	ok(ork_pack_tensor(pack, 2)->hadamard == 64 && ork_pack_tensor(pack, 0)->hadamard == 0, "rotations are kept");
	ok(!ork_pack_tensor(pack, 0)->scales && !memcmp(ork_pack_tensor(pack, 1)->scales, scales, sizeof(scales)),
	   "scales are kept");
	ok(!ork_pack_tensor(pack, 3), "there is no fourth tensor");
	ork_pack_close(pack);
	for (i = 0; i < 3; i++)
		free(bt[i]);
}

static uint8_t *slurp(size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(1 << 20);

	*size = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	return bytes;
}

static int open_bytes(const uint8_t *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	struct ork_pack *pack;
	int err;

	fwrite(bytes, 1, size, file);
	fclose(file);
	err = ork_pack_open(path, &pack, reason);
	if (!err)
		ork_pack_close(pack);
	return err;
}

static void make_small_file(void)
{
	const struct ork_pack_tensor tensor = {
		.name = "w", .type = ORK_I8, .k = 64, .n = 64, .batch = 1, .groups = 1, .scaled = true
	};
	static float scales[64];
	uint8_t *bt = make_bt(ORK_I8, 64 * 64);

	ok(!write_file(&tensor, &bt, scales, 1, 64), "a small file is written");
	free(bt);
}

static void damage_is_noticed(void)
{
	unsigned int refused = 0, tried = 0;
	struct ork_pack *pack;
	uint8_t *bytes;
	size_t size, i, index_at;

	make_small_file();
	bytes = slurp(&size);
	index_at = get_le64(bytes + 24);
	for (i = 0; i < size; i = i == 63 ? index_at : i + 1) {
		bytes[i] ^= 0x10;
		tried++;
		refused += open_bytes(bytes, size) < 0;
		bytes[i] ^= 0x10;
	}
	ok(refused == tried, "any damaged byte of header and index is noticed (%u of %u)", refused, tried);
	for (i = 0, tried = 0, refused = 0; i < size; i += 61, tried++)
		refused += open_bytes(bytes, i) < 0;
	ok(refused == tried, "a truncated file is refused (%u of %u)", refused, tried);
	bytes[size] = 0;
	ok(open_bytes(bytes, size + 1) == -EBADMSG && strstr(reason, "too long"), "a longer file is refused");
	bytes[8] = 2;
	ok(open_bytes(bytes, size) == -ENOTSUP && strstr(reason, "version 2"), "a newer version is refused: %s", reason);
	bytes[8] = 1;
	bytes[4096 + 100] ^= 1;
	open_bytes(bytes, size);
	ok(!ork_pack_open(path, &pack, reason) && ork_pack_verify(pack, 0, reason) == -EBADMSG && strstr(reason, "weights"),
	   "damaged weights are found when they are verified: %s", reason);
	ork_pack_close(pack);
	bytes[4096 + 100] ^= 1;
	bytes[8192] ^= 1;
	open_bytes(bytes, size);
	ok(!ork_pack_open(path, &pack, reason) && ork_pack_verify(pack, 0, reason) == -EBADMSG && strstr(reason, "scales"),
	   "and so are damaged scales");
	ork_pack_close(pack);
	free(bytes);
}

/* Files whose checksums are right but whose contents are not. */
static void hostile_files_are_refused(void)
{
	static const struct {
		const char *name;
		int at;  /* in the entry, or in the header from 1000 on */
		int bytes;
		uint64_t value;
	} edits[] = {
		{ "weights outside the file", 0, 8, UINT64_C(1) << 40 },
		{ "weights in the header", 0, 8, 0 },
		{ "weights that overflow", 0, 8, UINT64_MAX - 4095 },
		{ "weights that are not page-aligned", 0, 8, 4160 },
		{ "scales outside the file", 16, 8, UINT64_MAX - 63 },
		{ "scales that are not aligned", 16, 8, 8196 },
		{ "K of 0", 32, 4, 0 },
		{ "a huge K", 32, 4, UINT32_MAX },
		{ "N of 0", 36, 4, 0 },
		{ "a huge N", 36, 4, 1 << 21 },
		{ "an N that the data does not have", 36, 4, 1 << 20 },
		{ "a name outside the index", 40, 4, 4000 },
		{ "a name that does not end", 44, 4, 5000 },
		{ "an empty name", 44, 4, 0 },
		{ "type 0", 48, 4, 0 },
		{ "type 5", 48, 4, 5 },
		{ "a batch of 0", 52, 4, 0 },
		{ "a huge batch", 52, 4, UINT32_MAX },
		{ "no groups", 56, 4, 0 },
		{ "groups times batch", 56, 4, 1 << 20 },
		{ "a K slice of 0", 60, 4, 0 },
		{ "a K slice that is no multiple of 32", 60, 4, 33 },
		{ "a K slice beyond K", 60, 4, 96 },
		{ "a Hadamard matrix of 3", 64, 4, 3 },
		{ "a Hadamard matrix beyond K", 64, 4, 128 },
		{ "reserved bytes", 68, 4, 1 },
		{ "flags", 76, 4, 2 },
		{ "more reserved bytes", 88, 8, 1 },
		{ "more tensors than the index has", 1012, 4, 2 },
		{ "an index inside the header", 1024, 8, 0 },
		{ "an index that is not page-aligned", 1024, 8, 8200 },
		{ "an index of another length", 1032, 8, 5 },
		{ "reserved bytes in the header", 1048, 8, 1 },
	};
	uint8_t *bytes, *copy;
	size_t size, i, index_at;

	make_small_file();
	bytes = slurp(&size);
	copy = malloc(size);
	index_at = get_le64(bytes + 24);
	for (i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		uint8_t *at = copy + (edits[i].at < 1000 ? index_at + (size_t)edits[i].at : (size_t)edits[i].at - 1000);

		memcpy(copy, bytes, size);
		if (edits[i].bytes == 8)
			put_le64(at, edits[i].value);
		else
			put_le32(at, (uint32_t)edits[i].value);
		put_le64(copy + 40, ork_hash_of(copy + index_at, size - index_at));
		put_le64(copy + 56, ork_hash_of(copy, 56));
		ok(open_bytes(copy, size) == -EBADMSG, "refused: %s (%s)", edits[i].name, reason);
	}
	ok(open_bytes(bytes, size) == 0, "the original is fine");
	free(bytes);
	free(copy);
}

static unsigned int files_in_directory(void)
{
	DIR *dir = opendir(directory);
	unsigned int count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static void unfinished_files_replace_nothing(void)
{
	struct ork_pack_tensor tensor = { .name = "w", .type = ORK_I8, .k = 64, .n = 128, .batch = 1, .groups = 1 };
	struct ork_pack_writer *writer;
	uint8_t *bt = make_bt(ORK_I8, 64 * 128);
	struct ork_pack *pack;

	make_small_file();
	ok(!ork_pack_create(path, &writer, reason) && !ork_pack_begin(writer, &tensor, reason) &&
		   !ork_pack_put(writer, 0, 0, 64, bt, 64, NULL, reason) && ork_pack_finish(writer, reason) == -EBUSY,
	   "an incomplete tensor: %s", reason);
	ok(!ork_pack_open(path, &pack, reason) && ork_pack_tensor(pack, 0)->n == 64 && files_in_directory() == 1,
	   "the older file is still there, and nothing else");
	ork_pack_close(pack);
	ok(!ork_pack_create(path, &writer, reason) && !put_all(writer, &tensor, bt, 64, NULL) &&
		   !put_all(writer, &tensor, bt, 64, NULL) && ork_pack_finish(writer, reason) == -EEXIST &&
		   files_in_directory() == 1,
	   "two tensors of one name: %s", reason);
	ok(ork_pack_create(directory, &writer, reason) == -EINVAL, "a directory is not replaced");
	ok(!ork_pack_create(path, &writer, reason) && !ork_pack_finish(writer, reason) &&
		   !ork_pack_open(path, &pack, reason) && ork_pack_count(pack) == 0,
	   "a file without tensors is a file");
	ork_pack_close(pack);
	free(bt);
}

static void wrong_tensors_are_refused(void)
{
	struct ork_pack_tensor tensor = { .name = "w", .type = ORK_I4, .k = 64, .n = 128, .batch = 1, .groups = 1 };
	struct ork_pack_writer *writer;
	int8_t bt[64 * 128] = { 0 };

	ork_pack_create(path, &writer, reason);
	tensor.type = ORK_I32;
	ok(ork_pack_begin(writer, &tensor, reason) == -EINVAL, "a type that cannot be packed: %s", reason);
	tensor.type = ORK_I4;
	tensor.name = "line\nbreak";
	ok(ork_pack_begin(writer, &tensor, reason) == -EINVAL, "a control character in the name: %s", reason);
	tensor.name = "w";
	tensor.k = tensor.n = ORK_MAX_DIM;
	ok(ork_pack_begin(writer, &tensor, reason) == -E2BIG, "too large: %s", reason);
	tensor.k = 64;
	tensor.n = 128;
	ok(ork_pack_put(writer, 0, 0, 64, bt, 64, NULL, reason) == -EINVAL, "columns before a tensor");
	ok(!ork_pack_begin(writer, &tensor, reason) && ork_pack_begin(writer, &tensor, reason) == -EBUSY,
	   "a tensor before the last one is complete");
	ok(ork_pack_put(writer, 0, 0, 63, bt, 64, NULL, reason) == -EINVAL, "columns that break a kernel group: %s", reason);
	ok(ork_pack_put(writer, 0, 0, 192, bt, 64, NULL, reason) == -EINVAL, "more columns than the matrix has");
	ok(ork_pack_put(writer, 1, 0, 64, bt, 64, NULL, reason) == -EINVAL, "a matrix that the tensor does not have");
	ok(!ork_pack_put(writer, 0, 64, 64, bt, 64, NULL, reason) &&
		   ork_pack_put(writer, 0, 0, 128, bt, 64, NULL, reason) == -EINVAL,
	   "columns twice: %s", reason);
	bt[100] = 8;
	ok(ork_pack_put(writer, 0, 0, 64, bt, 64, NULL, reason) == -EINVAL, "int4 values outside -8..7: %s", reason);
	ork_pack_abandon(writer);
}

/* Values that are published with the algorithm. */
static void hashes_are_known_ones(void)
{
	char text[101];

	memset(text, 'a', 100);
	ok(ork_hash_of("", 0) == UINT64_C(0xef46db3751d8e999), "hash of nothing");
	ok(ork_hash_of("abc", 3) == UINT64_C(0x44bc2cf5ad770999), "hash of abc");
	ok(ork_hash_of(text, 100) != ork_hash_of(text, 99), "hash of more than three stripes");
}

int main(void)
{
	if (!mkdtemp(directory) || ork_open(NULL, &dev))
		return 1;
	snprintf(path, sizeof(path), "%s/w.orkpack", directory);
	hashes_are_known_ones();
	tensors_survive_a_file();
	several_tensors_are_found_by_name();
	damage_is_noticed();
	hostile_files_are_refused();
	unfinished_files_replace_nothing();
	wrong_tensors_are_refused();
	ok(!ork_close(dev), "nothing is left open");
	unlink(path);
	rmdir(directory);
	return done();
}

/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <npy.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

#define MAX_DIM 1048576

static char directory[] = "/tmp/ork-npy-XXXXXX";
static char path[128];

static void write_file(const void *bytes, size_t count)
{
	FILE *file = fopen(path, "wb");

	if (count)
		fwrite(bytes, 1, count, file);
	fclose(file);
}

/* Magic, version, header text and data elements 0, 1, 2, ... Returns the length. */
static size_t make_file(char *out, int version, const char *header, size_t elements)
{
	const size_t length = strlen(header), prefix = version == 1 ? 10 : 12;
	size_t i;

	memcpy(out, "\x93NUMPY", 6);
	out[6] = (char)version;
	out[7] = 0;
	out[8] = (char)(length & 0xff);
	out[9] = (char)(length >> 8);
	if (version != 1)
		out[10] = out[11] = 0;
	memcpy(out + prefix, header, length);
	for (i = 0; i < elements; i++)
		out[prefix + length + i] = (char)i;
	return prefix + length + elements;
}

static int try_header(int version, const char *header, size_t elements, struct npy_matrix *matrix, char *reason)
{
	char bytes[4096];

	write_file(bytes, make_file(bytes, version, header, elements));
	return npy_read(path, MAX_DIM, matrix, reason);
}

static void good_files_are_read(void)
{
	static const struct {
		int version;
		const char *header;
	} files[] = {
		{ 1, "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 4), }          \n" },
		{ 2, "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 4), }\n" },
		{ 1, "{\"shape\":(3,4,),\"fortran_order\":False,\"descr\":\"<i1\"}" },
		{ 1, "  { 'fortran_order' : False , 'shape' : ( 3 , 4 ) , 'descr' : '|i1' }  \n\n" },
	};
	char reason[NPY_REASON_CHARS];
	struct npy_matrix matrix;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const int err = try_header(files[i].version, files[i].header, 12, &matrix, reason);

		if (!ok(err == 0 && matrix.rows == 3 && matrix.cols == 4 && matrix.type == NPY_I1 &&
				((char *)matrix.data)[0] == 0 && ((char *)matrix.data)[11] == 11,
			"good file %zu is read", i))
			note("%s", reason);
		free(matrix.data);
	}
}

static void all_types_are_read(void)
{
	static const struct {
		const char *header;
		enum npy_type type;
	} files[] = {
		{ "{'descr': '<i4', 'fortran_order': False, 'shape': (3, 1), }", NPY_I4 },
		{ "{'descr': '=f4', 'fortran_order': False, 'shape': (1, 3), }", NPY_F4 },
		{ "{'descr': '<f2', 'fortran_order': False, 'shape': (3, 2), }", NPY_F2 },
		{ "{'descr': '=i1', 'fortran_order': False, 'shape': (3, 4), }", NPY_I1 },
	};
	char reason[NPY_REASON_CHARS];
	struct npy_matrix matrix;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		ok(try_header(1, files[i].header, 12, &matrix, reason) == 0 && matrix.type == files[i].type &&
			   ((char *)matrix.data)[11] == 11,
		   "type %s is read", npy_type_descr(files[i].type));
		free(matrix.data);
	}
}

static void bad_headers_are_refused(void)
{
	static const struct {
		const char *header;
		const char *reason;
	} files[] = {
		{ "{'descr': '|i1', 'fortran_order': True, 'shape': (3, 4), }", "Fortran" },
		{ "{'descr': '<i4', 'fortran_order': False, 'shape': (3, 4), }", "truncated" },
		{ "{'descr': '>i4', 'fortran_order': False, 'shape': (3, 1), }", ">i4" },
		{ "{'descr': '|f2', 'fortran_order': False, 'shape': (3, 2), }", "|f2" },
		{ "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }", "<f8" },
		{ "{'descr': '', 'fortran_order': False, 'shape': (3, 4), }", "its type is" },
		{ "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4), }", "|u1" },
		{ "{'descr': '|O', 'fortran_order': False, 'shape': (3, 4), }", "|O" },
		{ "{'descr': [('x', '|i1')], 'fortran_order': False, 'shape': (3, 4), }", "malformed" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (12,), }", "1 dimension" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (), }", "0 dimension" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (1, 3, 4), }", "3 dimension" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (12), }", "malformed" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': 12, }", "malformed" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (-3, 4), }", "malformed" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (3 4), }", "malformed" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (,), }", "malformed" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 4, }", "malformed" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (0, 4), }", "no elements" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 5), }", "truncated" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 3), }", "more bytes" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (1048577, 4), }", "above" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (1048576, 1048576), }", "truncated" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (99999999999999999999999, 4), }", "above" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (18446744073709551619, 4), }", "above" },
		{ "{'descr': '|i1', 'fortran_order': False, }", "malformed" },
		{ "{'descr': '|i1', 'shape': (3, 4), }", "malformed" },
		{ "{'fortran_order': False, 'shape': (3, 4), }", "malformed" },
		{ "{'descr': '|i1', 'descr': '|i1', 'fortran_order': False, 'shape': (3, 4), }", "malformed" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 4), 'x': 1, }", "unknown key" },
		{ "{'descr': '|i1', 'fortran_order': 0, 'shape': (3, 4), }", "malformed" },
		{ "{'descr': '|i1' 'fortran_order': False, 'shape': (3, 4), }", "malformed" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 4), } trailing", "malformed" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 4), ", "malformed" },
		{ "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 4), 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': 1}",
		  "malformed" },
		{ "{'descr': '|i1", "malformed" },
		{ "{'descr': '\\x7ci1', 'fortran_order': False, 'shape': (3, 4), }", "malformed" },
		{ "[]", "malformed" },
		{ "", "malformed" },
	};
	char reason[NPY_REASON_CHARS];
	struct npy_matrix matrix;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const int err = try_header(1, files[i].header, 12, &matrix, reason);

		if (!ok(err == -1 && !matrix.data && strstr(reason, files[i].reason), "bad header %zu is refused: %s",
			i, files[i].reason))
			note("%d, %s", err, reason);
	}
}

/* Every prefix of a good file, and every single wrong byte in its header, is survived; prefixes are refused. */
static void damaged_files_are_survived(void)
{
	char bytes[256], damaged[256], reason[NPY_REASON_CHARS];
	const size_t length = make_file(bytes, 1, "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 4), }\n", 12);
	unsigned int refused = 0, survived = 0, tried = 0;
	struct npy_matrix matrix;
	size_t i;
	int value;

	for (i = 0; i < length; i++) {
		write_file(bytes, i);
		refused += npy_read(path, MAX_DIM, &matrix, reason) == -1 && !matrix.data;
	}
	ok(refused == length, "all %zu truncated files are refused", length);
	for (i = 0; i < length - 12; i++) {
		for (value = 0; value < 256; value += 5) {
			memcpy(damaged, bytes, length);
			damaged[i] = (char)value;
			write_file(damaged, length);
			tried++;
			if (npy_read(path, MAX_DIM, &matrix, reason) == 0)
				survived += matrix.rows * matrix.cols * npy_type_bytes(matrix.type) == 12;
			else
				survived += !matrix.data && *reason;
			free(matrix.data);
		}
	}
	ok(survived == tried, "all %u files with one wrong byte are refused or read consistently", tried);
}

static void strange_files_are_refused(void)
{
	static const char huge_v1[] = "\x93NUMPY\x01\x00\xff\xff{", huge_v2[] = "\x93NUMPY\x02\x00\xff\xff\xff\xff{";
	static const char version3[] = "\x93NUMPY\x03\x00\x02\x00\x00\x00{}", minor[] = "\x93NUMPY\x01\x07\x02\x00{}";
	char reason[NPY_REASON_CHARS];
	struct npy_matrix matrix;

	write_file(huge_v1, sizeof(huge_v1) - 1);
	ok(npy_read(path, MAX_DIM, &matrix, reason) == -1 && strstr(reason, "too long"),
	   "a huge version 1 header is refused");
	write_file(huge_v2, sizeof(huge_v2) - 1);
	ok(npy_read(path, MAX_DIM, &matrix, reason) == -1 && strstr(reason, "too long"),
	   "a huge version 2 header is refused");
	write_file(version3, sizeof(version3) - 1);
	ok(npy_read(path, MAX_DIM, &matrix, reason) == -1 && strstr(reason, "3.0"), "version 3 is refused");
	write_file(minor, sizeof(minor) - 1);
	ok(npy_read(path, MAX_DIM, &matrix, reason) == -1 && strstr(reason, "1.7"),
	   "an unknown minor version is refused");
	write_file("", 0);
	ok(npy_read(path, MAX_DIM, &matrix, reason) == -1 && strstr(reason, "not a NumPy file"),
	   "an empty file is refused");
	ok(npy_read(directory, MAX_DIM, &matrix, reason) == -1 && *reason, "a directory is refused");
	ok(npy_read("/dev/zero", MAX_DIM, &matrix, reason) == -1 && strstr(reason, "regular"),
	   "a device is refused");
	unlink(path);
	ok(npy_read(path, MAX_DIM, &matrix, reason) == -1 && strstr(reason, "No such file"),
	   "a missing file is refused");
}

static void results_are_written_whole(void)
{
	int32_t data[6] = { 1, -2, 3, 4, 5, 0x01020304 };
	const struct npy_matrix matrix = { .type = NPY_I4, .data = data, .rows = 2, .cols = 3 };
	char reason[NPY_REASON_CHARS], bytes[512], text[256] = "";
	struct stat info;
	size_t length;
	FILE *file;

	umask(022);
	ok(npy_check_writable(path, reason) == 0 && npy_write(path, &matrix, reason) == 0,
	   "a result is written");
	stat(path, &info);
	ok((info.st_mode & 0777) == 0644, "it has the usual permissions");
	file = fopen(path, "rb");
	length = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	memcpy(text, bytes + 10, 100);
	ok(length == 128 + sizeof(data) && memcmp(bytes, "\x93NUMPY\x01\x00\x76\x00", 10) == 0 && bytes[127] == '\n' &&
	   strstr(text, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }") == text,
	   "header and data are aligned to 64 bytes as NumPy writes them");
	ok(memcmp(bytes + 128, data, sizeof(data)) == 0, "elements are little-endian int32 in C order");
	ok(npy_check_writable("/nonexistent/c.npy", reason) == -1 &&
		   npy_write("/nonexistent/c.npy", &matrix, reason) == -1,
	   "a missing directory is refused");
	ok(npy_check_writable(directory, reason) == -1 && npy_check_writable("/dev/null", reason) == -1 &&
	   npy_check_writable("", reason) == -1, "directories, devices and empty names are refused");
	unlink(path);
	ok(rmdir(directory) == 0, "no temporary file is left");
}

int main(void)
{
	if (!mkdtemp(directory))
		return 1;
	snprintf(path, sizeof(path), "%s/file.npy", directory);
	good_files_are_read();
	all_types_are_read();
	bad_headers_are_refused();
	damaged_files_are_survived();
	strange_files_are_refused();
	results_are_written_whole();
	return done();
}

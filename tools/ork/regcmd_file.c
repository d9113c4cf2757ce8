/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regcmd_file.h"

#define DUMP_MAGIC "rknpu-ork coredump "

/* More than all the command memory of an address space. */
#define MAX_BYTES ((size_t)1 << 30)

__attribute__((format(printf, 2, 3))) static int fail(char *reason, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, REGCMD_REASON_CHARS, format, args);
	va_end(args);
	return -1;
}

/* Files of sysfs and debugfs do not tell their size. The data ends with a 0. */
static int read_all(FILE *stream, char **data, size_t *bytes, char *reason)
{
	size_t room = 65536, used = 0;
	char *buffer = malloc(room + 1), *grown;

	while (buffer) {
		used += fread(buffer + used, 1, room - used, stream);
		if (used < room)
			break;
		room *= 2;
		grown = room <= MAX_BYTES ? realloc(buffer, room + 1) : NULL;
		if (!grown)
			free(buffer);
		buffer = grown;
	}
	if (!buffer)
		return fail(reason, "it is too large");
	if (ferror(stream)) {
		free(buffer);
		return fail(reason, "%s", strerror(errno));
	}
	buffer[used] = '\0';
	*data = buffer;
	*bytes = used;
	return 0;
}

static int read_words(struct regcmd_file *file, size_t bytes, char *reason)
{
	size_t i;

	if (bytes == 0)
		return fail(reason, "it is empty; \"hang\" of debugfs is, as long as nothing has hung");
	if (bytes % sizeof(__u64))
		return fail(reason, "%zu bytes are not a number of 64-bit words, and it is no dump of a hang", bytes);
	file->count = bytes / sizeof(__u64);
	file->words = malloc(bytes);
	if (!file->words)
		return fail(reason, "not enough memory");
	memcpy(file->words, file->data, bytes);
	for (i = 0; i < file->count; i++)
		file->words[i] = le64toh(file->words[i]);
	return 0;
}

/* The next line, ended by 0, or NULL. */
static char *next_line(char **at)
{
	char *line = *at, *end = strchr(line, '\n');

	if (!*line)
		return NULL;
	if (end)
		*end = '\0';
	*at = end ? end + 1 : line + strlen(line);
	return line;
}

static int read_dump_words(struct regcmd_file *file, const char *head, char *at, char *reason)
{
	unsigned long count, i;
	char *line, *end;

	if (sscanf(head, "%lu words at 0x%" SCNx32, &count, &file->address) != 2 || count > MAX_BYTES / sizeof(__u64))
		return fail(reason, "the line \"commands: %.40s\" is not understood", head);
	file->words = malloc(count * sizeof(__u64) + 1);
	if (!file->words)
		return fail(reason, "not enough memory");
	for (i = 0; i < count; i++) {
		line = next_line(&at);
		if (!line)
			return fail(reason, "it ends after %lu of %lu words", i, count);
		file->words[i] = strtoull(line, &end, 16);
		if (end != line + 16 || *end)
			return fail(reason, "command word %lu is \"%.20s\", which is not 16 hexadecimal digits", i, line);
	}
	file->count = count;
	return 0;
}

static int add_line(struct regcmd_line *lines, unsigned int *count, char *line, char *reason)
{
	char *colon = strstr(line, ": ");

	if (!colon)
		return fail(reason, "the line \"%.40s\" is not understood", line);
	if (*count == REGCMD_MAX_LINES)
		return fail(reason, "it has too many lines");
	*colon = '\0';
	lines[(*count)++] = (struct regcmd_line){ line, colon + 2 };
	return 0;
}

static int read_dump(struct regcmd_file *file, char *reason)
{
	static const char commands[] = "commands: ";
	bool registers = false;
	char *at = file->data, *line;
	int err = 0;

	line = next_line(&at);
	if (strcmp(line, DUMP_MAGIC "1") != 0)
		return fail(reason, "dumps of format \"%.10s\" are not known here", line + strlen(DUMP_MAGIC));
	file->dump = true;
	while (!err && (line = next_line(&at))) {
		if (strncmp(line, commands, strlen(commands)) == 0)
			return read_dump_words(file, line + strlen(commands), at, reason);
		if (strcmp(line, "registers:") == 0)
			registers = true;
		else if (registers)
			err = add_line(file->registers, &file->register_count, line, reason);
		else
			err = add_line(file->lines, &file->line_count, line, reason);
	}
	return err ? err : fail(reason, "it ends before the commands");
}

int regcmd_read(const char *path, struct regcmd_file *file, char reason[REGCMD_REASON_CHARS])
{
	FILE *stream = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	size_t bytes = 0;
	int err;

	*file = (struct regcmd_file){ 0 };
	if (!stream)
		return fail(reason, "%s", strerror(errno));
	err = read_all(stream, &file->data, &bytes, reason);
	if (stream != stdin)
		fclose(stream);
	if (err)
		return err;
	if (strncmp(file->data, DUMP_MAGIC, strlen(DUMP_MAGIC)) == 0)
		err = read_dump(file, reason);
	else
		err = read_words(file, bytes, reason);
	if (err)
		regcmd_free(file);
	return err;
}

void regcmd_free(struct regcmd_file *file)
{
	free(file->words);
	free(file->data);
	*file = (struct regcmd_file){ 0 };
}

int regcmd_write(const char *path, const uint64_t *words, size_t count)
{
	FILE *file = fopen(path, "wb");
	uint64_t word;
	size_t i, written = 0;

	if (!file)
		return -1;
	for (i = 0; i < count; i++) {
		word = htole64(words[i]);
		written += fwrite(&word, sizeof(word), 1, file);
	}
	return fclose(file) == 0 && written == count ? 0 : -1;
}

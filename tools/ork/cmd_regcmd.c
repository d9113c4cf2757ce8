/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "regcmd_file.h"
#include "regcmd_task.h"
#include "regmap.h"
#include "term.h"
#include "tool.h"

#define TARGET_MARKER 0x0041
#define TARGET_ENABLE 0x0081

static const char usage_text[] =
	"usage: ork regcmd [OPTIONS] FILE\n"
	"\n"
	"Takes register commands of the NPU apart: register, value, fields that are not 0, and what the\n"
	"driver's checker says to each task. FILE has raw 64-bit words, or is a dump of a hang:\n"
	"/sys/class/devcoredump/devcdN/data or /sys/kernel/debug/dri/N/hang. \"-\" is stdin.\n"
	"\n"
	"  --task-words W  tasks are W words long; default: each ends where it starts the blocks\n"
	"  --json          print JSON, with all fields\n"
	"\n"
	"What is mapped is not in the file, so any address that is a multiple of 16 passes.\n"
	"The exit status is 1 if the checker refuses a task.\n";

struct options {
	unsigned long task_words;
	bool json;
};

/* Everything that is said about a command word. */
struct word {
	uint16_t target, offset;
	uint32_t value;
	const char *block;                  /* "-" for words that write no register of a block */
	char name[32];
	const struct regmap_register *reg;  /* NULL: not known */
};

static struct word take_apart(__u64 bits)
{
	struct word word = {
		.target = (uint16_t)(bits >> 48), .value = (uint32_t)(bits >> 16), .offset = (uint16_t)bits,
	};
	const char *block = regmap_target(word.target);

	word.block = block ? block : "-";
	if (block && regmap_target_block(word.target) == word.offset >> 12)
		word.reg = regmap_find(word.offset);
	if (word.reg)
		snprintf(word.name, sizeof(word.name), "%s", word.reg->name);
	else if (!bits)
		snprintf(word.name, sizeof(word.name), "(filler)");
	else if (word.target == TARGET_MARKER)
		snprintf(word.name, sizeof(word.name), "(marker)");
	else if (word.target == TARGET_ENABLE)
		snprintf(word.name, sizeof(word.name), "(start blocks)");
	else if (block)
		snprintf(word.name, sizeof(word.name), "(0x%04x)", word.offset);
	else
		snprintf(word.name, sizeof(word.name), "(target 0x%04x, 0x%04x)", word.target, word.offset);
	return word;
}

static void print_fields(const struct regmap_register *reg, uint32_t value)
{
	struct regmap_field fields[REGMAP_MAX_FIELDS];
	const unsigned int count = regmap_fields(reg, fields);
	unsigned int i;
	char text[16];

	for (i = 0; i < count; i++)
		if (regmap_value(&fields[i], value))
			printf(" %.*s=%s", fields[i].name_length, fields[i].name, regmap_text(&fields[i], value, text));
}

/* The blocks of a word that starts them have the bits of GLOBAL OPERATION_ENABLE. */
static void print_blocks(uint32_t map)
{
	static const char *const names[] = { "CNA", NULL, "CORE", "DPU", "DPU_RDMA", "PPU", "PPU_RDMA" };
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (map & 1u << i && names[i])
			printf(" %s", names[i]);
}

static void print_word(uint32_t index, __u64 bits, bool refused)
{
	const struct word word = take_apart(bits);

	printf("%s%6" PRIu32 "  %-8s  %-20s 0x%08" PRIx32, refused ? term_style(TERM_BAD) : "", index, word.block,
	       word.name, word.value);
	if (word.reg)
		print_fields(word.reg, word.value);
	else if (word.target == TARGET_ENABLE)
		print_blocks(word.value);
	printf("%s%s\n", refused ? "  <- refused" : "", refused ? term_style(TERM_PLAIN) : "");
}

static void print_verdict(const struct regcmd_task *task)
{
	if (!task->reject)
		printf("checker: %saccepted%s\n", term_style(TERM_GOOD), term_style(TERM_PLAIN));
	else
		printf("checker: %srefused%s at word %" PRIu32 ": %s, %s\n", term_style(TERM_BAD), term_style(TERM_PLAIN),
		       task->reject_word, regcmd_reject_name(task->reject), regcmd_reject_text(task->reject));
	if (task->reuses_unknown)
		printf("(the task before it is not in the file)\n");
}

static void print_task(const __u64 *words, const struct regcmd_task *task, unsigned long number)
{
	uint32_t i;

	printf("%stask %lu: %" PRIu32 " words from word %zu on, %s trailer%s\n", term_style(TERM_HEADER), number,
	       task->count, task->first, task->trailer ? "with" : "without", term_style(TERM_PLAIN));
	printf("%s  word  block     register             value%s\n", term_style(TERM_BOLD), term_style(TERM_PLAIN));
	for (i = 0; i < task->count; i++)
		print_word(i, words[task->first + i], task->reject && i == task->reject_word);
	print_verdict(task);
}

/* "DPU S_POINTER" of a dump. */
static const struct regmap_register *find_by_name(const char *key)
{
	const struct regmap_register *reg;
	char name[64];
	unsigned int offset;

	for (offset = 0; offset < 0x10000; offset += 4) {
		reg = regmap_find((uint16_t)offset);
		if (!reg)
			continue;
		snprintf(name, sizeof(name), "%s %s", regmap_block((uint16_t)offset), reg->name);
		if (strcmp(key, name) == 0)
			return reg;
	}
	return NULL;
}

static void print_dump(const struct regcmd_file *file)
{
	const struct regmap_register *reg;
	unsigned int i;

	for (i = 0; i < file->line_count; i++)
		printf("%-8s %s\n", file->lines[i].key, file->lines[i].value);
	printf("%sregisters%s\n", term_style(TERM_HEADER), term_style(TERM_PLAIN));
	for (i = 0; i < file->register_count; i++) {
		printf("  %-26s %s", file->registers[i].key, file->registers[i].value);
		reg = find_by_name(file->registers[i].key);
		if (reg)
			print_fields(reg, (uint32_t)strtoul(file->registers[i].value, NULL, 16));
		putchar('\n');
	}
	printf("commands at 0x%08" PRIx32 "\n", file->address);
}

static void json_fields(struct json *json, const struct regmap_register *reg, uint32_t value)
{
	struct regmap_field fields[REGMAP_MAX_FIELDS];
	const unsigned int count = regmap_fields(reg, fields);
	char name[64], text[16];
	unsigned int i;

	json_object(json, "fields");
	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%.*s", fields[i].name_length, fields[i].name);
		if (fields[i].style == 'u')
			json_number(json, name, regmap_value(&fields[i], value));
		else
			json_text(json, name, regmap_text(&fields[i], value, text));
	}
	json_close(json);
}

static void json_word(struct json *json, uint32_t index, __u64 bits)
{
	const struct word word = take_apart(bits);
	char text[24];

	snprintf(text, sizeof(text), "%016llx", bits);
	json_object(json, NULL);
	json_number(json, "word", index);
	json_text(json, "bits", text);
	json_text(json, "block", regmap_target(word.target));
	json_text(json, "register", word.name);
	json_number(json, "offset", word.offset);
	json_number(json, "value", word.value);
	if (word.reg)
		json_fields(json, word.reg, word.value);
	json_close(json);
}

static void json_task(struct json *json, const __u64 *words, const struct regcmd_task *task)
{
	uint32_t i;

	json_object(json, NULL);
	json_number(json, "first_word", task->first);
	json_number(json, "trailer_words", task->trailer);
	json_bool(json, "accepted", !task->reject);
	if (task->reject) {
		json_text(json, "reject", regcmd_reject_name(task->reject));
		json_text(json, "reason", regcmd_reject_text(task->reject));
		json_number(json, "reject_word", task->reject_word);
		json_bool(json, "task_before_unknown", task->reuses_unknown);
	}
	json_array(json, "words");
	for (i = 0; i < task->count; i++)
		json_word(json, i, words[task->first + i]);
	json_close(json);
	json_close(json);
}

static void json_dump(struct json *json, const struct regcmd_file *file)
{
	unsigned int i;

	json_object(json, "dump");
	for (i = 0; i < file->line_count; i++)
		json_text(json, file->lines[i].key, file->lines[i].value);
	json_number(json, "address", file->address);
	json_object(json, "registers");
	for (i = 0; i < file->register_count; i++)
		json_number(json, file->registers[i].key, strtoul(file->registers[i].value, NULL, 16));
	json_close(json);
	json_close(json);
}

/* Returns the number of tasks that were refused. */
static unsigned long show(const struct regcmd_file *file, const struct options *options, struct regcmd_checker *checker)
{
	unsigned long number = 0, refused = 0;
	struct regcmd_task task;
	struct json json;
	size_t at = 0;

	if (options->json) {
		json_begin(&json, "regcmd");
		if (file->dump)
			json_dump(&json, file);
		json_array(&json, "tasks");
	} else if (file->dump) {
		print_dump(file);
	}
	while (regcmd_next_task(file->words, file->count, (uint32_t)options->task_words, &at, &task)) {
		regcmd_check_task(checker, file->words, &task);
		refused += task.reject != 0;
		if (options->json)
			json_task(&json, file->words, &task);
		else
			print_task(file->words, &task, number);
		number++;
	}
	if (options->json) {
		json_close(&json);
		json_end(&json);
	} else if (number > 1) {
		printf("%lu tasks, %lu refused\n", number, refused);
	}
	return refused;
}

static int show_file(const char *path, const struct options *options)
{
	struct regcmd_checker *checker;
	char reason[REGCMD_REASON_CHARS];
	struct regcmd_file file;
	int status;

	if (regcmd_read(path, &file, reason))
		return complain(EXIT_USAGE, "cannot use %s: %s", path, reason);
	checker = regcmd_checker_create();
	if (checker)
		status = show(&file, options, checker) ? EXIT_MISMATCH : EXIT_OK;
	else
		status = complain(EXIT_USAGE, "not enough memory");
	regcmd_checker_free(checker);
	regcmd_free(&file);
	return status;
}

int cmd_regcmd(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "task-words", required_argument, NULL, 't' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct options options = { 0 };
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
		switch (option) {
		case 't':
			if (parse_option_number("--task-words", optarg, 1, INT_MAX, &options.task_words))
				return EXIT_USAGE;
			break;
		case 'j':
			options.json = true;
			break;
		case 'h':
			fputs(usage_text, stdout);
			return EXIT_OK;
		default:
			return complain_option(option, argv);
		}
	}
	if (optind + 1 != argc)
		return complain(EXIT_USAGE, "one file is needed; see ork help regcmd");
	return show_file(argv[optind], &options);
}

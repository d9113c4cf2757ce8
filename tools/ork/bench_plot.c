/* SPDX-License-Identifier: MIT */
/* Copyright 2026 The rknpu-ork authors */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "tool.h"

/* Both axes are logarithmic, over whole decades. Lengths are in pixels. */

#define LEFT         80
#define TOP          70
#define WIDTH        720
#define HEIGHT       480
#define LEGEND_LEFT  (LEFT + WIDTH + 30)
#define LEGEND_WIDTH 420
#define LEGEND_LINE  18

struct axis {
	int first, last; /* decades */
};

struct plot {
	FILE *file;
	struct axis x, y; /* operations per byte, GOP/s */
	const struct bench_roof *roof;
	const struct bench_result *results;
	size_t count;
};

static void widen(struct axis *axis, double value)
{
	const double decade = log10(value);

	if (floor(decade) < axis->first)
		axis->first = (int)floor(decade);
	if (ceil(decade) > axis->last)
		axis->last = (int)ceil(decade);
}

static double at(const struct axis *axis, double value)
{
	return (log10(value) - axis->first) / (axis->last - axis->first);
}

static double x_of(const struct plot *plot, double intensity)
{
	return LEFT + WIDTH * at(&plot->x, intensity);
}

static double y_of(const struct plot *plot, double gops)
{
	return TOP + HEIGHT * (1 - at(&plot->y, gops));
}

/* All points, and where the roofs bend, are inside. */
static void choose_axes(struct plot *plot)
{
	size_t i;

	plot->x = (struct axis){ 0, 1 };
	plot->y = (struct axis){ 0, 1 };
	for (i = 0; i < plot->count; i++) {
		const struct bench_result *result = &plot->results[i];

		widen(&plot->x, result->intensity);
		widen(&plot->x, 2 * result->peak_gops / plot->roof->bandwidth_gbps);
		widen(&plot->y, result->gops);
		widen(&plot->y, result->peak_gops);
	}
}

static void draw_axes(const struct plot *plot)
{
	int i;

	for (i = plot->x.first; i <= plot->x.last; i++) {
		const double x = x_of(plot, pow(10, i));

		fprintf(plot->file, "<path class=\"grid\" d=\"M%.1f %d V%d\"/>\n", x, TOP, TOP + HEIGHT);
		fprintf(plot->file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", x, TOP + HEIGHT + 18,
			pow(10, i));
	}
	for (i = plot->y.first; i <= plot->y.last; i++) {
		const double y = y_of(plot, pow(10, i));

		fprintf(plot->file, "<path class=\"grid\" d=\"M%d %.1f H%d\"/>\n", LEFT, y, LEFT + WIDTH);
		fprintf(plot->file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 8, y + 4, pow(10, i));
	}
	fprintf(plot->file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">operations per byte</text>\n", LEFT + WIDTH / 2,
		TOP + HEIGHT + 42);
	fprintf(plot->file, "<text transform=\"translate(24 %d) rotate(-90)\" text-anchor=\"middle\">GOP/s</text>\n",
		TOP + HEIGHT / 2);
}

/* Up the slope of the memory, then along the top of the array. */
static void draw_roof(const struct plot *plot, const struct bench_result *result)
{
	const double left = pow(10, plot->x.first), bottom = pow(10, plot->y.first);
	const double bandwidth = plot->roof->bandwidth_gbps, peak = result->peak_gops;
	double start = left;

	if (start * bandwidth < bottom)
		start = bottom / bandwidth;
	fprintf(plot->file, "<path class=\"roof\" d=\"M%.1f %.1f L%.1f %.1f H%d\"/>\n", x_of(plot, start),
		y_of(plot, start * bandwidth), x_of(plot, peak / bandwidth), y_of(plot, peak), LEFT + WIDTH);
	fprintf(plot->file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g GOP/s</text>\n", LEFT + WIDTH - 4,
		y_of(plot, peak) - 5, peak);
}

/* One for each different peak. */
static void draw_roofs(const struct plot *plot)
{
	size_t i, j;

	for (i = 0; i < plot->count; i++) {
		for (j = 0; j < i; j++)
			if (fabs(plot->results[j].peak_gops - plot->results[i].peak_gops) < 1e-6)
				break;
		if (j == i)
			draw_roof(plot, &plot->results[i]);
	}
}

/* A number at each point, on its right and left in turn, as neighbours are often alike; the legend says what it is. */
static void draw_points(const struct plot *plot)
{
	size_t i;

	for (i = 0; i < plot->count; i++) {
		const struct bench_result *result = &plot->results[i];
		const double x = x_of(plot, result->intensity), y = y_of(plot, result->gops);

		fprintf(plot->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", x, y);
		fprintf(plot->file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%zu</text>\n", x + (i % 2 ? -6 : 6), y - 5,
			i % 2 ? "end" : "start", i + 1);
		fprintf(plot->file, "<text x=\"%d\" y=\"%zu\">%zu: %zux%zux%zu %s, ", LEGEND_LEFT, TOP + 12 + i * LEGEND_LINE,
			i + 1, result->shape.m, result->shape.k, result->shape.n, result->type->name);
		if (result->cores)
			fprintf(plot->file, "%lu core%s", result->cores, result->cores == 1 ? "" : "s");
		else
			fputs("cores auto", plot->file);
		fprintf(plot->file, ": %.4g GOP/s, %.0f %%</text>\n", result->gops, 100 * result->gops / result->roof_gops);
	}
}

static void draw(const struct plot *plot, const char *remark)
{
	const size_t legend = TOP + 30 + plot->count * LEGEND_LINE, chart = TOP + HEIGHT + 60;

	fprintf(plot->file,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" font-family=\"sans-serif\" "
		"font-size=\"13\">\n"
		"<style>.grid { stroke: #ddd; fill: none } .roof { stroke: #c33; stroke-width: 2; fill: none } "
		"circle { fill: #147 }</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		LEGEND_LEFT + LEGEND_WIDTH, legend > chart ? legend : chart);
	fprintf(plot->file,
		"<text x=\"%d\" y=\"26\" font-size=\"16\">ork bench: %.0f MHz (%s), %g GB/s (%s)</text>\n"
		"<text x=\"%d\" y=\"48\" fill=\"#c33\">%s</text>\n",
		LEFT, plot->roof->clock_hz * 1e-6, plot->roof->clock_from, plot->roof->bandwidth_gbps,
		plot->roof->bandwidth_from, LEFT, remark);
	draw_axes(plot);
	draw_roofs(plot);
	draw_points(plot);
	fputs("</svg>\n", plot->file);
}

int plot_bench(const char *path, const char *remark, const struct bench_roof *roof, const struct bench_result *results,
	       size_t count)
{
	struct plot plot = { .file = fopen(path, "we"), .roof = roof, .results = results, .count = count };
	bool failed;

	if (!plot.file)
		return complain(EXIT_USAGE, "cannot write %s: %s", path, strerror(errno));
	choose_axes(&plot);
	draw(&plot, remark);
	failed = ferror(plot.file);
	if (fclose(plot.file) || failed)
		return complain(EXIT_USAGE, "cannot write %s: %s", path, strerror(errno));
	return EXIT_OK;
}

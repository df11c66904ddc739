/* The page that `report` makes of files of results: what was read, put in order, and
 * the sections that are written of it.  Private to the program. */
#ifndef PLX_PAGE_PAGE_H
#define PLX_PAGE_PAGE_H

#include "base/format.h"

#include <parallax/plugin.h>
#include <parallax/study.h>

/* No index. */
#define PLX_PAGE_NONE SIZE_MAX
/* Colours of series; with more series they begin again. */
enum { PLX_PAGE_COLOURS = 8 };

/* One run: nothing is ever divided by a number of another. */
typedef struct plx_page_file {
    const char *path; /* belongs to the caller */
    const char *name; /* its last part */
    plx_results results;
    size_t first_device, first_record; /* in the page's lists */
} plx_page_file;

typedef struct plx_page_device {
    const plx_study_device *is;
    size_t file;
    size_t chip; /* devices with one number are one chip, over all files */
    size_t series;
} plx_page_device;

/* A backend on a chip: what has one colour on the whole page. */
typedef struct plx_page_series {
    const char *label;
    char shown[160]; /* the label; with the chip's name where a label means two */
    size_t chip;
    size_t colour;
} plx_page_series;

typedef struct plx_page_problem {
    const plx_record *first; /* whose it is */
    const char *op, *dtype;
    size_t kind; /* problems of one operation, element type and form have one number */
    char shape[80], variant[160];
    char form[160]; /* the variant without how the operands lie */
    size_t rank;
    double size; /* elements; of a product of matrices the side of the cube; 0: none */
    bool square;
    size_t records, last; /* its first and its last record */
} plx_page_problem;

typedef struct plx_page_kind {
    size_t first;  /* its first problem */
    bool in_flops; /* the rate that says something is GFLOP/s */
} plx_page_kind;

typedef struct plx_page_record {
    const plx_record *is;
    size_t file, device, series, problem;
    bool ok, vendor, baseline;
    bool newest;        /* no newer file has the same */
    size_t first, next; /* of its group; PLX_PAGE_NONE: there is no next */
    size_t next_of_problem;
    double time; /* ns; 0: not timed, or not right */
} plx_page_record;

typedef struct plx_page {
    plx_page_file *files;
    size_t file_count;
    size_t copies; /* files left out because another is the same */
    size_t others; /* and because they are no results, though ours */
    plx_page_device *devices;
    size_t device_count, chip_count;
    plx_page_series *series;
    size_t series_count;
    plx_page_problem *problems;
    size_t problem_count, kind_count;
    plx_page_kind *kinds;
    plx_page_record *records;
    size_t record_count;
    bool has_records;  /* the page shows its records, by which backends and outcomes are chosen */
    plx_status status; /* of the first thing that could not be written, and why */
    plx_error error;
} plx_page;

/* ---- data.c: reading and putting in order --------------------------------- */

plx_status plx_page_read(const char *const *files, size_t count, plx_page *page, plx_error *error);
void plx_page_free(plx_page *page);
/* Zeroed memory for what is put together; NULL: the page has failed. */
void *plx_page_memory(plx_page *page, size_t count, size_t size);

/* ---- group.c: what belongs together ----------------------------------------- */

/* Measured in one run, on the same bytes. */
bool plx_page_together(const plx_page_record *a, const plx_page_record *b);
/* The fastest of `like`'s group on a series that is right and no baseline, of our
 * kernels alone with `own`; NULL when there is none. */
const plx_page_record *plx_page_fastest(plx_page *page, const plx_page_record *like, size_t series, bool own);
/* Whether the rate that says something of this operation is GFLOP/s, not GB/s. */
bool plx_page_in_flops(plx_page *page, size_t problem);
/* The same operation, element type and form. */
bool plx_page_alike(const plx_page_problem *a, const plx_page_problem *b);
/* Whether no problem before it is of its kind. */
bool plx_page_opens_kind(plx_page *page, size_t problem);
double plx_page_rate(const plx_page_record *record, bool flops);
/* Over the step before; 0: none, as of a kernel beside the ladder, for which older files have one. */
double plx_page_gain(const plx_record *record);
/* The name of a chip's first device. */
const char *plx_page_chip(plx_page *page, size_t chip);

/* ---- text.c: text in HTML ----------------------------------------------------- */

/* Everything that comes from a file passes here: nothing in it is markup. */
void plx_page_text(FILE *to, const char *text);
/* Markup with such texts as %s; besides these it knows %zu and %%. */
void plx_page_put(FILE *to, const char *format, ...) PLX_PRINTF(2, 3);
/* "gemm f32 4096×4096×4096 nt". */
void plx_page_problem_text(FILE *to, const plx_page_problem *problem);
/* "<td>", for numbers. */
void plx_page_number_cell(FILE *to, double number, int digits);
void plx_page_time(FILE *to, double nanoseconds);
/* "45.7 TFLOP/s". */
void plx_page_rate_text(double rate, bool flops, char *text, size_t capacity);
/* "good", "bad" or "soft": of what class a record's outcome is shown (records.c). */
const char *plx_page_outcome_class(plx_outcome outcome);
/* A cell with a bar from 1 to the ratio, between 0 and 2. */
void plx_page_ratio_bar(double ratio, FILE *to);
/* The name of a series in its colour. */
void plx_page_series_mark(FILE *to, plx_page *page, size_t series);

/* ---- frame.c -------------------------------------------------------------------- */

/* A part of the page: it writes nothing where it has nothing to say. */
typedef struct plx_page_section {
    const char *id, *title;
    void (*put)(plx_page *page, FILE *to);
} plx_page_section;

/* The whole page of these sections, each under its heading, all of them in the navigation. */
void plx_page_frame(plx_page *page, const plx_page_section *sections, size_t count, FILE *to);

/* ---- pen.c: what is drawn with ----------------------------------------------------- */

/* All pictures are that wide, as a phone is; dots further down are not looked for. */
enum { PLX_PEN_WIDTH = 420, PLX_PEN_HEIGHT = 480 };
/* After the colours of series. */
enum { PLX_INK = PLX_PAGE_COLOURS, PLX_FAINT, PLX_SOFT, PLX_PAPER, PLX_BAD };
/* Sizes of letters, of a picture as wide as a phone. */
enum { PLX_LETTERS = 13, PLX_SMALL = 11 };

typedef enum plx_side { PLX_LEFT = 0, PLX_MIDDLE, PLX_RIGHT } plx_side;

typedef struct plx_lettering {
    double size;
    plx_side side; /* which side of the text its place is */
    size_t ink;
    bool bold, over; /* over: on lines and marks, from which it is set off */
} plx_lettering;

typedef struct plx_spot {
    double x, y;
} plx_spot;

typedef struct plx_pen {
    FILE *to;
    bool script;          /* for gnuplot, else SVG */
    double width, height; /* whoever draws sets the height */
    double top;           /* where the drawing begins, below its title */
    char group[80];       /* what the elements have in common that are being drawn */
    bool path;            /* a path of lines is open */
    unsigned char dotted[PLX_PEN_HEIGHT + 1][PLX_PEN_WIDTH / 8 + 1]; /* bits: where dots are */
    size_t dotted_ink;                                               /* of this colour */
} plx_pen;

/* Nothing more is drawn. */
void plx_pen_end(plx_pen *pen);

/* How wide a text is at most. */
double plx_pen_width(const char *text, double size);
/* A text that is no wider than this: its end becomes "…" where it has to. */
void plx_pen_fit(const char *text, double width, double size, char *fitted, size_t capacity);
void plx_pen_line(plx_pen *pen, double x0, double y0, double x1, double y1, size_t ink, bool dashed);
void plx_pen_path(plx_pen *pen, const plx_spot *spots, size_t count, size_t ink, bool dashed);
/* title: what is shown to who points at it; NULL: nothing. */
void plx_pen_bar(plx_pen *pen, double x, double y, double width, double height, size_t ink, const char *title);
void plx_pen_mark(plx_pen *pen, double x, double y, size_t ink, const char *title);
/* A small mark of many. */
void plx_pen_dot(plx_pen *pen, double x, double y, size_t ink, const char *title);
/* Many small marks that tell nothing. */
void plx_pen_dots(plx_pen *pen, const plx_spot *spots, size_t count, size_t ink);
/* y: the line that letters stand on. */
void plx_pen_text(plx_pen *pen, double x, double y, const plx_lettering *how, const char *text);
/* In as many lines as it needs; where the next line would stand. */
double plx_pen_paragraph(plx_pen *pen, double x, double y, double width, const plx_lettering *how, const char *text);

typedef struct plx_axis {
    double low, high, from, to; /* values, and where they are */
    bool log;
} plx_axis;

double plx_axis_at(const plx_axis *axis, double value);
/* At most `most` (below 12) round values; how many. */
size_t plx_axis_tics(const plx_axis *axis, size_t most, double *tics);
/* The axes with their lines, numbers and titles; text: a number as text. */
void plx_pen_heights(plx_pen *pen, const plx_axis *y, double left, double right, const char *title,
                     void (*text)(double number, char *text, size_t capacity));
void plx_pen_widths(plx_pen *pen, const plx_axis *x, double bottom, const char *title,
                    void (*text)(double number, char *text, size_t capacity));
/* "10 T", of 10,000 GFLOP/s. */
void plx_tic_of_rate(double giga, char *text, size_t capacity);
/* Moves places, in their order, until they are a gap apart. */
void plx_pen_apart(double *places, size_t count, double gap, double top, double bottom);

typedef struct plx_legend {
    const char *name;
    size_t ink;
} plx_legend;

/* Names with their marks, in as many lines as they need; where the drawing goes on. */
double plx_pen_legend(plx_pen *pen, double y, const plx_legend *entries, size_t count);

/* ---- figure.c: plots -------------------------------------------------------------- */

/* A colour by day. */
const char *plx_page_colour(size_t ink);
/* "--c0:#0072b2;...": the colours as variables of a style. */
void plx_page_variables(FILE *to, bool dark);
/* The style of what the pen draws, by these variables. */
void plx_page_picture_style(FILE *to);

/* What can be drawn: of which kind, and the words of its name. */
typedef struct plx_page_figure plx_page_figure;
typedef void plx_page_drawing(plx_page *page, const plx_page_figure *figure, plx_pen *pen);
struct plx_page_figure {
    const char *kind; /* "sweep" */
    size_t of;        /* an index that the drawing understands */
    char name[240];   /* "sweep-gemm-f32-nt" */
    char title[240];
    plx_page_drawing *draw;
};

/* The figure inside the page. */
void plx_page_draw(plx_page *page, const plx_page_figure *figure, FILE *to);
/* The figure by itself; "svg", "png" or "gp", a script for gnuplot. */
plx_status plx_page_draw_alone(plx_page *page, const plx_page_figure *figure, const char *terminal, FILE *to,
                               plx_error *error);
/* A text in single quotes for a script. */
void plx_page_quoted(FILE *to, const char *text);

/* ---- versus.c: ours and the vendors' ----------------------------------------------------- */

/* Our fastest kernel and the fastest way of the vendors' libraries, of one problem in one run on one chip. */
typedef struct plx_page_duel {
    const plx_page_record *own, *peer;
    double ratio, low, high; /* the peer's time over ours */
} plx_page_duel;

/* Of the group that a record begins; series: ours on that alone, or on any (PLX_PAGE_NONE).  False: not both are there,
 * or a newer file has them. */
bool plx_page_duel_of(plx_page *page, size_t record, size_t series, plx_page_duel *duel);
/* The fastest way of a library on this chip for the problem of `like`, of its own group where that has one, else of
 * the newest file that has one; NULL: there is none. */
const plx_page_record *plx_page_library(plx_page *page, const plx_page_record *like, size_t chip);
/* "bf16", or "tf32" of f32. */
const char *plx_page_type(const plx_record *record);
/* "cuBLAS" of "cublas:0". */
void plx_page_library_name(const char *label, char *name, size_t capacity);
/* "1.32". */
void plx_page_ratio_text(double ratio, char *text, size_t capacity);

/* ---- the sections, in their order on the page ----------------------------------------- */

void plx_page_answer(plx_page *page, FILE *to);
void plx_page_summary(plx_page *page, FILE *to);
void plx_page_peers(plx_page *page, FILE *to);
void plx_page_ladders(plx_page *page, FILE *to);
void plx_page_probes(plx_page *page, FILE *to);
bool plx_page_has_ceilings(const plx_page *page);
void plx_page_ceilings(plx_page *page, FILE *to);
size_t plx_page_ceiling_table(plx_page *page, FILE *to); /* in Markdown; its rows */
void plx_page_counters(plx_page *page, FILE *to);
void plx_page_attributions(plx_page *page, FILE *to);
void plx_page_rooflines(plx_page *page, FILE *to);
void plx_page_sweeps(plx_page *page, FILE *to);
void plx_page_accuracies(plx_page *page, FILE *to);
void plx_page_agreement(plx_page *page, FILE *to);
void plx_page_records(plx_page *page, FILE *to);
void plx_page_environment(plx_page *page, FILE *to);
/* The one section of a history. */
void plx_page_history(plx_page *page, FILE *to);
/* How fast one operation and type is in each file of a history. */
typedef struct plx_page_course {
    char name[64];  /* "gemm bf16" */
    double *speeds; /* times as fast as in the first file that has it, a geometric mean; 0: nothing to compare */
} plx_page_course;
/* At most PLX_PAGE_COLOURS of them, malloc'ed; NULL and 0: nothing was timed in two files. */
plx_page_course *plx_page_courses(plx_page *page, size_t *count);
void plx_page_courses_free(plx_page_course *courses, size_t count);
/* Their chart (history_chart.c); false: there are none. */
bool plx_page_history_figure(plx_page *page, size_t index, plx_page_figure *figure);

/* The ladders as tables in Markdown; how many. */
size_t plx_page_ladder_tables(plx_page *page, FILE *to);
/* What the aims of our kernels are, and what these files, named as results/record does, reached of them; how many. */
size_t plx_page_aim_table(plx_page *page, FILE *to);
/* Which kernel stays: what leaving each out costs (without.c); how many. */
size_t plx_page_without_table(plx_page *page, FILE *to);
/* The attributions as one for each file; how many kernels. */
size_t plx_page_attribution_tables(plx_page *page, FILE *to);

/* Figure `index` of a kind; false: there are no more. */
bool plx_page_answer_figure(plx_page *page, size_t index, plx_page_figure *figure);
bool plx_page_ladder_figure(plx_page *page, size_t index, plx_page_figure *figure);
bool plx_page_roofline_figure(plx_page *page, size_t index, plx_page_figure *figure);
bool plx_page_sweep_figure(plx_page *page, size_t index, plx_page_figure *figure);
bool plx_page_ratio_figure(plx_page *page, size_t index, plx_page_figure *figure);
bool plx_page_accuracy_figure(plx_page *page, size_t index, plx_page_figure *figure);

/* ---- what the program calls --------------------------------------------------------------- */

/* Whether gnuplot is in $PATH. */
bool plx_gnuplot_found(void);
/* Runs a script; what it draws on standard output goes into `picture`, which needs a
 * descriptor.  PLX_IO when gnuplot can't be started or fails. */
plx_status plx_gnuplot_draw(const char *script, FILE *picture, plx_error *error);

/* Files of schema parallax-results/1 as one page of HTML that needs nothing else: no
 * network, no scripts.  A record that several
 * files have is shown with each; where there is room for one, the newest counts, by the
 * files' dates, else by their order.  PLX_IO: a file can't be read, or `to` can't be
 * written; PLX_INVALID: a file is none of results.  Nothing is written unless all files
 * are good. */
plx_status plx_report_write(const char *const *files, size_t count, FILE *to, plx_error *error);
/* Tables in Markdown, for documents: `section` is "peers" (against the vendors' libraries),
 * "twins" (our backends versus each other), "ladders", "attribution", "probes", or NULL, for all of these
 * that the files have something for; or "aims", or "without".  PLX_NOT_FOUND: no such section, or nothing for it. */
plx_status plx_report_markdown(const char *const *files, size_t count, const char *section, FILE *to, plx_error *error);
/* The same problems in files that follow each other in time, from before to after, as a page. */
plx_status plx_report_history(const char *const *files, size_t count, FILE *to, plx_error *error);
/* One plot: "answer", "ladder-gemm", "sweep-gemm-f32-nn", "roofline-0", "accuracy-gemm", "history".  `terminal` is
 * "svg", "gp", a script for gnuplot, or "png", for which gnuplot is needed.  PLX_NOT_FOUND: no such plot; *error names
 * those there are. */
plx_status plx_report_plot(const char *const *files, size_t count, const char *name, const char *terminal, FILE *to,
                           plx_error *error);

/* A fleet after its vote as a page (fleet.c). */
plx_status plx_page_fleet(const plx_fleet *fleet, FILE *to, plx_error *error);

#endif

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
    plx_page_device *devices;
    size_t device_count, chip_count;
    plx_page_series *series;
    size_t series_count;
    plx_page_problem *problems;
    size_t problem_count, kind_count;
    plx_page_kind *kinds;
    plx_page_record *records;
    size_t record_count;
    bool plots;        /* gnuplot is there */
    plx_status status; /* of the first thing that could not be written, and why */
    plx_error error;
    size_t figures; /* drawn so far, for names within the page */
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
/* Opens a section with its heading. */
void plx_page_section(FILE *to, const char *id, const char *title);
/* The name of a series in its colour. */
void plx_page_series_mark(FILE *to, plx_page *page, size_t series);

/* ---- frame.c -------------------------------------------------------------------- */

void plx_page_begin(plx_page *page, FILE *to);
void plx_page_end(FILE *to);

/* ---- figure.c: plots -------------------------------------------------------------- */

/* Names of colours in scripts: those of series and of text. */
const char *plx_page_colour(size_t series_colour);
const char *plx_page_ink(void);

/* "--c0:#0072b2;...": the colours as variables of a style. */
void plx_page_variables(FILE *to, bool dark);

typedef struct plx_page_size {
    int width, height, letters;
} plx_page_size;

/* Writes the script of a figure, without its terminal. */
typedef void plx_page_script(plx_page *page, const void *what, const plx_page_size *size, FILE *to);

/* What can be drawn: of which kind, and the words of its name. */
typedef struct plx_page_figure {
    const char *kind; /* "sweep" */
    size_t of;        /* an index that the script understands */
    char name[240];   /* "sweep-gemm-f32-nt" */
    char title[240];  /* for who can't see it */
    plx_page_script *script;
} plx_page_figure;

/* The figure inside the page, for wide and for narrow screens. */
void plx_page_draw(plx_page *page, const plx_page_figure *figure, FILE *to);
/* The figure by itself; "svg", "png" or "gp", the script. */
plx_status plx_page_draw_alone(plx_page *page, const plx_page_figure *figure, const char *terminal, FILE *to,
                               plx_error *error);
/* A text in single quotes for a script. */
void plx_page_quoted(FILE *to, const char *text);
/* The axes and letters that all figures share. */
void plx_page_canvas(const plx_page_size *size, FILE *to);

/* ---- the sections, in their order on the page ----------------------------------------- */

void plx_page_summary(plx_page *page, FILE *to);
void plx_page_peers(plx_page *page, FILE *to);
void plx_page_ladders(plx_page *page, FILE *to);
void plx_page_attributions(plx_page *page, FILE *to);
void plx_page_rooflines(plx_page *page, FILE *to);
void plx_page_sweeps(plx_page *page, FILE *to);
void plx_page_accuracies(plx_page *page, FILE *to);
void plx_page_agreement(plx_page *page, FILE *to);
void plx_page_records(plx_page *page, FILE *to);
void plx_page_environment(plx_page *page, FILE *to);

/* The ladders as tables in Markdown; how many. */
size_t plx_page_ladder_tables(plx_page *page, FILE *to);
/* The attributions as one for each file; how many kernels. */
size_t plx_page_attribution_tables(plx_page *page, FILE *to);

/* Figure `index` of a kind; false: there are no more. */
bool plx_page_ladder_figure(plx_page *page, size_t index, plx_page_figure *figure);
bool plx_page_roofline_figure(plx_page *page, size_t index, plx_page_figure *figure);
bool plx_page_sweep_figure(plx_page *page, size_t index, plx_page_figure *figure);
bool plx_page_accuracy_figure(plx_page *page, size_t index, plx_page_figure *figure);

/* ---- what the program calls --------------------------------------------------------------- */

/* Whether gnuplot is in $PATH. */
bool plx_gnuplot_found(void);
/* Runs a script; what it draws on standard output goes into `picture`, which needs a
 * descriptor.  PLX_IO when gnuplot can't be started or fails. */
plx_status plx_gnuplot_draw(const char *script, FILE *picture, plx_error *error);

/* Files of schema parallax-results/1 as one page of HTML that needs nothing else: no
 * network, no scripts.  Plots are in it when gnuplot is found.  A record that several
 * files have is shown with each; where there is room for one, the newest counts, by the
 * files' dates, else by their order.  PLX_IO: a file can't be read, or `to` can't be
 * written; PLX_INVALID: a file is none of results.  Nothing is written unless all files
 * are good. */
plx_status plx_report_write(const char *const *files, size_t count, FILE *to, plx_error *error);
/* Tables in Markdown, for documents: `section` is "peers" (against the vendors' libraries),
 * "twins" (our backends versus each other), "ladders", "attribution", "probes", or NULL, for all of these
 * that the files have something for.  PLX_NOT_FOUND: no such section, or nothing for it. */
plx_status plx_report_markdown(const char *const *files, size_t count, const char *section, FILE *to, plx_error *error);
/* One plot: "ladder-gemm", "sweep-gemm-f32-nn", "roofline-0", "accuracy-gemm".  `terminal` is "svg", "png"
 * or "gp", the script alone, for which gnuplot is not needed.  PLX_NOT_FOUND: no such
 * plot; *error names those there are. */
plx_status plx_report_plot(const char *const *files, size_t count, const char *name, const char *terminal, FILE *to,
                           plx_error *error);

/* A fleet after its vote as a page (fleet.c). */
plx_status plx_page_fleet(const plx_fleet *fleet, FILE *to, plx_error *error);

#endif

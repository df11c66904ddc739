/* What becomes of a run with a fault: the right status with a word, or all of the output; and no file that is
 * damaged or left over. */
#define _GNU_SOURCE

#include "tests/faults/judge.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void count_one(uint64_t *total)
{
    (void)__atomic_add_fetch(total, 1, __ATOMIC_RELAXED);
}

/* ---- what differs from run to run ---------------------------------------------------------- */

static size_t line_length(const char *text)
{
    const char *end = strchr(text, '\n');
    return end != NULL ? (size_t)(end - text) + 1 : strlen(text);
}

static bool has_word(const char *line, size_t length, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memmem(line, length, words[i], strlen(words[i])) != NULL)
            return true;
    return false;
}

/* The time; and what a driver says of its device: when that can't be, the results are still right. */
static bool may_vary(const char *line, size_t length)
{
    static const char *const words[] = {"\"date\":",   "Fake",     "\"api\":",      "\"driver\":",     "\"uuid\":",
                                        "\"vendor\":", "\"pci\":", "\"l2_bytes\":", "\"flushes_f32\":"};
    return has_word(line, length, words, sizeof words / sizeof words[0]);
}

/* How busy the machine is, which is not always known: the text from the next line on that tells something else. */
static const char *past_activity(const char *text)
{
    static const char *const words[] = {"\"load_begin\":", "\"load_end\":",          "\"others\":",
                                        "\"switches\":",   "\"throttled_begin_s\":", "\"throttled_end_s\":"};
    while (*text != '\0' && has_word(text, line_length(text), words, sizeof words / sizeof words[0]))
        text += line_length(text);
    return text;
}

static char difference[400]; /* where two that should be the same are not */

/* Equal but for lines in which two runs without faults differ, too. */
static bool is_same(const box_file *now, const box_file *clean, const box_file *again)
{
    const char *a = now->bytes, *b = clean->bytes, *c = again != NULL ? again->bytes : b;
    if (memchr(b, '\0', clean->length) != NULL) /* no text */
        return now->length == clean->length && memcmp(a, b, now->length) == 0;
    for (; *a != '\0' && *b != '\0' && *c != '\0'; a = past_activity(a), b = past_activity(b), c = past_activity(c)) {
        const size_t la = line_length(a), lb = line_length(b), lc = line_length(c);
        const bool varies = lb != lc || memcmp(b, c, lb) != 0 || may_vary(b, lb);
        if (!varies && (la != lb || memcmp(a, b, la) != 0)) {
            (void)snprintf(difference, sizeof difference, "\"%.*s\", not \"%.*s\"", (int)(la > 0 ? la - 1 : 0), a,
                           (int)(lb > 0 ? lb - 1 : 0), b);
            return false;
        }
        a += la;
        b += lb;
        c += lc;
    }
    return *a == *b;
}

static bool is_equal(const box_file *one, const box_file *other)
{
    return one->length == other->length && memcmp(one->bytes, other->bytes, one->length) == 0;
}

/* ---- judging ---------------------------------------------------------------------------------- */

void fail(worker *this, const trial *run, uint64_t *total, const char *what)
{
    const box_file *out = files_find(&run->after, "out"), *err = files_find(&run->after, "err");
    char text[4096];
    size_t used = 0;
    count_one(total);
    count_one(&this->totals->failures);
    used += (size_t)snprintf(text, sizeof text, "FAIL: %s: status %d:", what, run->end.status);
    for (size_t i = 1; this->words[i] != NULL && used < 1000; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %s", this->words[i]);
    used += (size_t)snprintf(text + used, sizeof text - used, "\n    fault: %s\n", run->fault);
    if (difference[0] != '\0')
        used += (size_t)snprintf(text + used, sizeof text - used, "    %s\n", difference);
    difference[0] = '\0';
    used += (size_t)snprintf(text + used, sizeof text - used, "    err: %.900s\n", err != NULL ? err->bytes : "");
    used += (size_t)snprintf(text + used, sizeof text - used, "    out: %.300s\n", out != NULL ? out->bytes : "");
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        exit(99);
}

static bool is_output(const fault_command *command, const char *path)
{
    for (size_t i = 0; i < MOST_OUTPUTS && command->outputs[i] != NULL; i++)
        if (strcmp(command->outputs[i], path) == 0)
            return true;
    return false;
}

static bool is_stream(const char *path)
{
    return strcmp(path, "out") == 0 || strcmp(path, "err") == 0;
}

/* JSON and pages that say what failed are whole, too. */
static bool is_whole(const box_file *file)
{
    const size_t length = file->length;
    if (length > 3 && file->bytes[0] == '{')
        return memcmp(file->bytes + length - 3, "\n}\n", 3) == 0;
    return strstr(file->bytes, "</html>") != NULL || (length > 0 && file->bytes[length - 1] == '\n');
}

static bool is_of_cache(const char *path)
{
    return strncmp(path, "cache/", 6) == 0;
}

/* A compiled one, whose name depends on what the driver said. */
static bool is_program(const char *path)
{
    const size_t length = strlen(path);
    return is_of_cache(path) && length > 6 && strcmp(path + length - 6, ".clbin") == 0;
}

/* What the program says when it does less than it could, at status 0: another kernel is right, too, and a case of a
 * bench that was left out is run the next time. */
static bool is_told(const box_files *after)
{
    const box_file *err = files_find(after, "err");
    return err != NULL && (strstr(err->bytes, "the choices that were tuned can't be read") != NULL ||
                           strstr(err->bytes, "is not taken (") != NULL || strstr(err->bytes, "left out: ") != NULL);
}

/* Every file that is there may be.  What a run left in the cache is right when the next one is. */
static void judge_files(worker *this, const trial *run)
{
    char text[600];
    const bool same_status = run->end.status == this->good.status;
    for (size_t i = 0; i < run->after.count; i++) {
        const box_file *now = &run->after.at[i], *before = files_find(&this->before, now->path),
                       *clean = files_find(&this->clean, now->path);
        if (is_stream(now->path) || (before != NULL && is_equal(now, before)))
            continue;
        if (clean == NULL && is_program(now->path))
            continue;
        if (clean == NULL) {
            (void)snprintf(text, sizeof text, "%s is left over", now->path);
            fail(this, run, &this->totals->left, text);
        } else if (is_of_cache(now->path)) {
            this->must_look_again = true;
        } else if (!is_same(now, clean, files_find(&this->again, now->path)) &&
                   (!is_whole(now) || (same_status && !this->command->is_timed && !this->command->answers &&
                                       this->plan->of != FAULT_OF_DRIVER && /* it holds what the driver says */
                                       !is_told(&run->after)))) {
            (void)snprintf(text, sizeof text, "%s is not whole", now->path);
            fail(this, run, &this->totals->left, text);
        }
    }
}

void judge_good(worker *this, const trial *run)
{
    const box_file *out = files_find(&run->after, "out"), *clean = files_find(&this->clean, "out"),
                   *err = files_find(&run->after, "err");
    for (size_t i = 0; i < this->clean.count; i++) {
        const char *path = this->clean.at[i].path;
        if (is_output(this->command, path) && files_find(&run->after, path) == NULL)
            fail(this, run, &this->totals->wrong, "the output is missing, though all went well");
    }
    if (out == NULL || clean == NULL || this->command->is_timed || is_same(out, clean, files_find(&this->again, "out")))
        return;
    if (this->command->needs_memory && this->plan->of == FAULT_OF_MEMORY) {
        fail(this, run, &this->totals->wrong, "another output, though all went well");
        return;
    }
    /* what a driver's wrong answers lead to is an answer, too */
    if (this->command->answers && this->plan->of == FAULT_OF_DRIVER)
        return;
    /* that something is missing is told */
    if (this->command->answers && (strstr(out->bytes, "memory") != NULL || strstr(out->bytes, "usable") != NULL ||
                                   strstr(out->bytes, "FAILS") != NULL || (err != NULL && err->length > 0)))
        return;
    if (is_told(&run->after))
        return;
    fail(this, run, &this->totals->wrong, "another output, though all went well");
}

static void judge_bad(worker *this, const trial *run)
{
    const box_file *out = files_find(&run->after, "out"), *err = files_find(&run->after, "err"),
                   *clean = files_find(&this->clean, "out");
    size_t lines = 0;
    for (size_t i = 0; err != NULL && i < err->length; i++)
        lines += err->bytes[i] == '\n';
    if (run->end.status == 1 && this->good.status != 1)
        fail(this, run, &this->totals->statuses, "a fault is called a wrong result");
    else if (run->end.status > 5)
        fail(this, run, &this->totals->statuses, "a status that there is not");
    else if (run->end.status == 0)
        fail(this, run, &this->totals->wrong, "what fails otherwise went well");
    if (lines == 0 && (out == NULL || clean == NULL || out->length == 0 || is_equal(out, clean)))
        fail(this, run, &this->totals->mute, "not a word of it");
    if (lines > 12)
        fail(this, run, &this->totals->mute, "more than a few words");
}

static bool says(const box_files *files, const char *word)
{
    const box_file *err = files_find(files, "err");
    return err != NULL && strstr(err->bytes, word) != NULL;
}

static bool has_control_characters(const box_files *files)
{
    static const char *const streams[] = {"out", "err"};
    for (size_t i = 0; i < 2; i++) {
        const box_file *stream = files_find(files, streams[i]);
        for (size_t j = 0; stream != NULL && j < stream->length; j++)
            if (iscntrl((unsigned char)stream->bytes[j]) && strchr("\n\t", stream->bytes[j]) == NULL)
                return true;
    }
    return false;
}

void judge(worker *this, const trial *run)
{
    count_one(&this->totals->injections);
    if (run->end.was_late) {
        fail(this, run, &this->totals->hangs, "hangs");
        return;
    }
    if (says(&run->after, "LeakSanitizer") || says(&run->after, "objects are left"))
        fail(this, run, &this->totals->leaks, "something leaks");
    else if (says(&run->after, "Sanitizer") || says(&run->after, "runtime error"))
        fail(this, run, &this->totals->deaths, "a sanitizer speaks");
    else if (run->end.signal != 0 || says(&run->after, "or in what it calls") || says(&run->after, "ended the program"))
        fail(this, run, &this->totals->deaths, strsignal(run->end.signal));
    else if (run->end.status == this->good.status)
        judge_good(this, run);
    else
        judge_bad(this, run);
    count_one(run->end.status == this->good.status ? &this->totals->passed_by : &this->totals->failed_well);
    if (has_control_characters(&run->after))
        fail(this, run, &this->totals->mute, "control characters reach people");
    if (run->end.left_processes)
        fail(this, run, &this->totals->left, "processes are left");
    judge_files(this, run);
}

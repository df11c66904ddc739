/* A first recipe for somebody's kernel, by what its text says and what such parameters are usually called.  What can't
 * be told stays in it as a name that no recipe knows, so that reading it refuses the draft and says where: nothing is
 * made up in silence. */
#define _XOPEN_SOURCE 700

#include "study/recipe/draft.h"
#include "study/recipe/load.h"
#include "study/recipe/ptx.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void plx_draft_note(plx_draft *of, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    (void)vfprintf(of->notes, format, words);
    va_end(words);
    (void)fputc('\n', of->notes);
}

static plx_status find_dialect(const char *path, const plx_dialect **dialect, plx_error *error)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < PLX_LANGUAGES; i++) {
        const plx_language *language = &plx_languages[i];
        if (strcmp(dot, language->ending) != 0)
            continue;
        if (language->is_function)
            return plx_fail(error, PLX_INVALID, "%.200s: a function needs no recipe (doc/judging.md)", path);
        *dialect = language->dialect;
        if (i == PLX_SOURCE_CL || i == PLX_SOURCE_CU)
            return PLX_OK;
        break;
    }
    return plx_fail(error, PLX_INVALID, "%.200s: a draft is made of the names in a source, %s or %s", path,
                    plx_languages[PLX_SOURCE_CU].ending, plx_languages[PLX_SOURCE_CL].ending);
}

static plx_status write_draft(plx_draft *of, char **text, char **notes, plx_error *error)
{
    size_t length = 0, note_length = 0;
    *text = *notes = NULL;
    of->to = open_memstream(text, &length);
    of->notes = open_memstream(notes, &note_length);
    bool whole = of->to != NULL && of->notes != NULL;
    if (whole)
        plx_draft_write(of);
    if (of->to != NULL)
        whole &= plx_text_whole(of->to);
    if (of->notes != NULL)
        whole &= plx_text_whole(of->notes);
    if (whole)
        return PLX_OK;
    free(*text);
    free(*notes);
    *text = *notes = NULL;
    return plx_fail(error, PLX_NO_MEMORY, "no memory for a recipe");
}

plx_status plx_recipe_draft(plx_op op, const char *source, const char *entry, char **text, char **notes,
                            plx_error *error)
{
    plx_draft of = {.operation = plx_operation_of(op), .habit = plx_draft_habit(op)};
    char *read = NULL;
    if (of.habit == NULL || of.operation == NULL)
        return plx_fail(error, PLX_INVALID, "no recipe is for this operation");
    plx_status status = find_dialect(source, &of.dialect, error);
    if (status == PLX_OK)
        status = plx_recipe_text(source, PLX_PTX_BYTES, &read, error);
    if (status == PLX_OK)
        status = plx_signature_read(source, read, of.dialect, entry, &of.kernel, error);
    if (status == PLX_OK)
        status = plx_draft_read_pointers(&of, source, error);
    of.text = read;
    if (status == PLX_OK)
        status = write_draft(&of, text, notes, error);
    free(read);
    return status;
}

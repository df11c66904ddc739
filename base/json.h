/* JSON as it is written: straight into a stream, so that nothing can be left out for want of memory.
 * Private to the tree. */
#ifndef PLX_BASE_JSON_H
#define PLX_BASE_JSON_H

#include <parallax/types.h>

#include <stdio.h>

/* Starts with its stream; whoever began the text asks the stream in the end, plx_json_end(). */
typedef struct plx_json {
    FILE *to;
    int depth;   /* of objects and lists that are open */
    bool filled; /* the innermost of them has something in it */
} plx_json;

/* A value under a name of the object that is open; NULL: in a list, or the whole text. */
void plx_json_object(plx_json *json, const char *name);
void plx_json_object_end(plx_json *json);
void plx_json_list(plx_json *json, const char *name);
void plx_json_list_end(plx_json *json);
/* What a driver says of itself need not be UTF-8: such bytes become '?'.  NULL is null. */
void plx_json_text(plx_json *json, const char *name, const char *text);
/* Twelve digits; null where it is not finite. */
void plx_json_number(plx_json *json, const char *name, double value);

/* The number that plx_json_number() writes for `value`, which may have more digits. */
double plx_json_number_written(double value);
void plx_json_integer(plx_json *json, const char *name, int64_t value);
/* Above 2^63 as text, for many readers have no such integers. */
void plx_json_natural(plx_json *json, const char *name, uint64_t value);
void plx_json_flag(plx_json *json, const char *name, bool value);
void plx_json_null(plx_json *json, const char *name);
/* Ends the text.  PLX_IO when the stream has failed. */
plx_status plx_json_end(plx_json *json, plx_error *error);

#endif

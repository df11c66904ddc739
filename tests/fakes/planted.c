/* For LD_PRELOAD: the dispatcher of a build with a fault.  $PLANTED=LABEL:EVERY:ELEMENT, such as host:0:1000:37: after
 * each EVERY launches on that backend the next product has one bit less or more in that element of its result. */
#define _GNU_SOURCE
#include <parallax/tool.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef plx_status execute_function(plx_plan *, plx_queue *, const plx_view *, size_t);

typedef struct planted {
    char label[48];
    unsigned long every, element;
} planted;

static int read_planted(planted *to)
{
    const char *word = getenv("PLANTED"), *last = word != NULL ? strrchr(word, ':') : NULL, *middle = last;
    while (middle != NULL && middle > word && *--middle != ':')
        ;
    if (middle == NULL || middle == word || (size_t)(middle - word) >= sizeof to->label)
        return 0;
    memcpy(to->label, word, (size_t)(middle - word));
    to->label[middle - word] = '\0';
    to->every = strtoul(middle + 1, NULL, 10);
    to->element = strtoul(last + 1, NULL, 10);
    return to->every > 0;
}

static void damage(plx_queue *queue, const plx_view *output, unsigned long element)
{
    plx_backend *backend = plx_buffer_backend(output->buffer);
    const uint64_t at = output->offset + 4 * element;
    uint32_t word = 0;
    if (at + 4 > plx_buffer_bytes(output->buffer) || plx_download(queue, &word, output->buffer, at, 4) != PLX_OK ||
        plx_synchronize(backend, queue) != PLX_OK)
        return;
    word ^= 1;
    (void)plx_upload(queue, output->buffer, at, &word, 4);
}

PLX_API plx_status plx_execute(plx_plan *plan, plx_queue *queue, const plx_view *operands, size_t count)
{
    static execute_function *own;
    static atomic_ulong launches;
    planted fault;
    if (own == NULL)
        own = (execute_function *)(uintptr_t)dlsym(RTLD_NEXT, "plx_execute");
    const plx_status status = own(plan, queue, operands, count);
    if ((plx_plan_kernel(plan)->flags & PLX_KERNEL_ADDED) != 0)
        return status; /* what a screen runs beside the kernels */
    if (status != PLX_OK || count == 0 || operands[count - 1].buffer == NULL || !read_planted(&fault) ||
        strcmp(plx_backend_label(plx_buffer_backend(operands[count - 1].buffer)), fault.label) != 0)
        return status;
    if (atomic_fetch_add(&launches, 1) + 1 < fault.every || count != 3)
        return status;
    atomic_store(&launches, 0);
    damage(queue, &operands[2], fault.element);
    return status;
}

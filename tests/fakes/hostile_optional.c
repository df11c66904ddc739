/* Slots of the hostile plugin that a plugin may leave empty. */
#include "hostile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

plx_status h_telemetry(plx_session *session, plx_telemetry *telemetry, plx_error *error)
{
    const plx_status lied = lie("telemetry", error);
    if (lied != PLX_OK)
        return lied;
    if (is("telemetry-ones")) {
        memset(telemetry, 0xff, sizeof *telemetry);
        memset(telemetry->reserved, 0, sizeof telemetry->reserved);
        return PLX_OK;
    }
    if (is("telemetry-reserved")) {
        telemetry->reserved[7] = 1;
        return PLX_OK;
    }
    return dummy_telemetry(session, telemetry, error);
}

plx_status h_supports(plx_session *session, const plx_problem *problem, size_t kernel, plx_error *error)
{
    const plx_status lied = lie("supports", error);
    return lied != PLX_OK ? lied : dummy_supports(session, problem, kernel, error);
}

plx_status h_configs(plx_session *session, const plx_problem *problem, size_t kernel, plx_config *configs,
                     size_t capacity, size_t *count, plx_error *error)
{
    static size_t grown = 1;
    const plx_status lied = lie("configs", error);
    if (lied != PLX_OK)
        return lied;
    if (strncmp(kind(), "configs-", 8) != 0)
        return dummy_configs(session, problem, kernel, configs, capacity, count, error);
    *count = is("configs-huge") ? SIZE_MAX / 4 : is("configs-million") ? (size_t)1000000 : 2;
    if (is("configs-grow"))
        *count = ++grown;
    for (size_t i = 0; i < *count && i < capacity; i++) {
        configs[i] = (plx_config){.name = "same", .number = is("configs-number") ? 0 : 1};
        if (is("configs-text"))
            memset(configs[i].name, 'n', sizeof configs[i].name);
        if (is("configs-nameless"))
            configs[i].name[0] = '\0';
        if (is("configs-terminal"))
            (void)snprintf(configs[i].name, sizeof configs[i].name, "%s", terminal);
        if (is("configs-reserved"))
            configs[i].reserved = 1;
        if (is("configs-nan"))
            configs[i].expected_us = (double)NAN;
    }
    return PLX_OK;
}

/* A model of one rate; which can be false in each of its numbers. */
plx_status h_rates(plx_session *session, const plx_problem *problem, size_t kernel, plx_rate *rates, size_t capacity,
                   size_t *count, plx_error *error)
{
    static size_t fewer = 3;
    const plx_status lied = lie("rates", error);
    (void)session;
    (void)problem;
    (void)kernel;
    if (lied != PLX_OK)
        return lied;
    *count = is("rates-huge") ? SIZE_MAX / 4 : is("rates-many") ? (size_t)2000 : 1;
    if (is("rates-fewer"))
        *count = --fewer;
    for (size_t i = 0; i < *count && i < capacity; i++) {
        rates[i] = (plx_rate){.name = "speed", .value = 2, .least = 1, .most = 4};
        if (is("rates-text"))
            memset(rates[i].name, 'n', sizeof rates[i].name);
        if (is("rates-nameless"))
            rates[i].name[0] = '\0';
        if (is("rates-terminal"))
            (void)snprintf(rates[i].name, sizeof rates[i].name, "%s", terminal);
        if (is("rates-nan"))
            rates[i].value = (double)NAN;
        if (is("rates-zero"))
            rates[i].least = 0;
        if (is("rates-more"))
            rates[i].value = 5;
        if (is("rates-less"))
            rates[i].value = 0.5;
        if (is("rates-infinite"))
            rates[i].most = (double)INFINITY;
    }
    return PLX_OK;
}

plx_status h_expect(plx_session *session, const plx_problem *problem, size_t kernel, const double *rates, double *us,
                    plx_error *error)
{
    const plx_status lied = lie("expect", error);
    (void)session;
    (void)problem;
    (void)kernel;
    (void)rates;
    if (lied != PLX_OK || is("expect-nothing"))
        return lied;
    *us = is("expect-nan") ? (double)NAN : is("expect-infinite") ? (double)INFINITY : is("expect-less") ? -1 : 10;
    return PLX_OK;
}

/* Device code that is none, where $HOSTILE asks for it. */
plx_status h_code(plx_session *session, const plx_problem *problem, size_t kernel, plx_code *code, plx_error *error)
{
    (void)session;
    (void)problem;
    (void)kernel;
    code->text = calloc(1, 8);
    code->reserved[0] = is("code-reserved") || is("code-newer");
    return code->text != NULL ? PLX_OK : plx_fail(error, PLX_NO_MEMORY, "no memory");
}

plx_status h_plan_code(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                       plx_plugin_plan **plan, plx_error *error)
{
    (void)code;
    return dummy_plan(session, problem, kernel, plan, error);
}

/* It writes nothing but what it has to say. */
plx_status h_launches(plx_plugin_plan *plan, plx_launch_facts *facts, size_t capacity, size_t *count, plx_error *error)
{
    (void)plan;
    (void)error;
    *count = 2;
    if (capacity > 1 && is("launches-reserved"))
        facts[1].reserved[2] = 1;
    return PLX_OK;
}

plx_status h_instructions(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                          plx_code_form form, plx_instructions *found, size_t capacity, size_t *count, plx_error *error)
{
    (void)session;
    (void)problem;
    (void)kernel;
    (void)code;
    (void)form;
    (void)error;
    *count = 1;
    if (capacity > 0 && is("instructions-reserved"))
        found[0].reserved[0] = 1;
    return PLX_OK;
}

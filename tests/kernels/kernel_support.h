/* What the tests of rows and recipes share: devices, rows by their name, recipes that must
 * succeed or be refused, numbers that look random. */
#ifndef TESTS_KERNEL_SUPPORT_H
#define TESTS_KERNEL_SUPPORT_H

#include <parallax/tool.h>

#include "kernels/recipe.h"
#include "tests/fakes/devices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Fails the test where the operation has no such kernel. */
const plx_row *row_named(plx_op op, const char *kernel);
plx_schedule schedule_of(const plx_problem *problem, const char *kernel, const plx_device_info *device);
/* The row's recipe, checked against the device. */
plx_status write_recipe(const plx_row *row, const plx_problem *problem, const plx_device_info *device,
                        plx_recipe *recipe, plx_error *error);
plx_recipe recipe_of(const plx_problem *problem, const char *kernel, const plx_device_info *device);
/* Where operands begin anywhere. */
plx_recipe unaligned_recipe_of(const plx_problem *problem, const char *kernel, const plx_device_info *device);
void expect_refusal(const plx_problem *problem, const char *kernel, const plx_device_info *device, const char *reason);
/* The configurations of a product's kernel, as plx_row.configs lists them. */
size_t configs_of(const char *kernel, const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                  size_t capacity);
uint64_t next_number(uint64_t *state);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The binary interface on 64-bit machines, held at compile time. Frozen structs never change; in a
 * table a slot never moves, new ones go to the end, and then this list grows by a line.
 */
#include <stddef.h>

#include <partexec/partexec.h>
#include <partexec/plugin.h>

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type " has another size")
#define AT(type, member, offset)                                                                   \
    _Static_assert(offsetof(type, member) == (offset), #type "." #member " has moved")
#define SLOT(number, member) AT(struct pex_host, member, (number) * sizeof(void *))

SIZE(struct pex_error, 1024);
AT(struct pex_error, code, 0);
AT(struct pex_error, message, 4);

SIZE(struct pex_string_view, 16);
AT(struct pex_string_view, data, 0);
AT(struct pex_string_view, length, 8);

SIZE(struct pex_number, 24);
AT(struct pex_number, type, 0);
AT(struct pex_number, int64, 8);
AT(struct pex_number, float64, 16);

SIZE(struct pex_row_id, 16);
AT(struct pex_row_id, offset, 0);
AT(struct pex_row_id, source, 8);
AT(struct pex_row_id, child, 12);

/* The oldest part of structs that grow: their size comes first, and these members stay. */
AT(struct pex_plugin_info, magic, 0);
AT(struct pex_plugin_info, struct_size, 4);
AT(struct pex_plugin_info, major, 8);
AT(struct pex_plugin_info, host_size, 12);
AT(struct pex_plugin_info, required_features, 16);
AT(struct pex_plugin_info, name, 24);
AT(struct pex_plugin_info, version, 32);

AT(struct pex_context_options, struct_size, 0);
AT(struct pex_dataset_options, struct_size, 0);
AT(struct pex_memory_options, struct_size, 0);
AT(struct pex_source, struct_size, 0);
AT(struct pex_source, required_features, 8);
AT(struct pex_source, identity, 16);
AT(struct pex_source, next, 24);
AT(struct pex_source, restart, 32);
AT(struct pex_source, size_hint, 40);
AT(struct pex_job_options, struct_size, 0);
AT(struct pex_event, struct_size, 0);
AT(struct pex_progress, struct_size, 0);

AT(struct pex_operator, struct_size, 0);
AT(struct pex_operator, required_features, 8);
AT(struct pex_operator, name, 16);
AT(struct pex_operator, version, 24);
AT(struct pex_operator, help, 32);
AT(struct pex_operator, cardinality, 40);
AT(struct pex_operator, flags, 44);
AT(struct pex_operator, params, 48);
AT(struct pex_operator, param_count, 56);
AT(struct pex_operator, param_stride, 64);
AT(struct pex_operator, fields, 72);
AT(struct pex_operator, field_count, 80);
AT(struct pex_operator, field_stride, 88);
AT(struct pex_operator, create, 96);
AT(struct pex_operator, process, 104);
AT(struct pex_operator, destroy, 112);
AT(struct pex_operator, check, 120);
AT(struct pex_operator, observe, 128);
AT(struct pex_operator, resolve, 136);
AT(struct pex_operator, apply, 144);

AT(struct pex_host, struct_size, 0);
SLOT(1, operator_register);
SLOT(2, error_set);
SLOT(3, params_is_null);
SLOT(4, params_int64);
SLOT(5, params_double);
SLOT(6, params_bool);
SLOT(7, params_string);
SLOT(8, params_count);
SLOT(9, params_string_at);
SLOT(10, params_int64_at);
SLOT(11, params_json);
SLOT(12, env_user);
SLOT(13, env_seed);
SLOT(14, env_stats_wanted);
SLOT(15, env_device);
SLOT(16, env_charge);
SLOT(17, env_log);
SLOT(18, batch_rows);
SLOT(19, batch_strings);
SLOT(20, batch_tokens);
SLOT(21, batch_int64);
SLOT(22, batch_double);
SLOT(23, batch_bool);
SLOT(24, batch_json);
SLOT(25, batch_set_string);
SLOT(26, batch_set_int64);
SLOT(27, batch_set_double);
SLOT(28, batch_set_bool);
SLOT(29, batch_set_json);
SLOT(30, batch_set_missing);
SLOT(31, batch_alloc);
SLOT(32, batch_drop);
SLOT(33, batch_fail_row);
SLOT(34, batch_append);
SLOT(35, batch_consumed);
SLOT(36, batch_row_ids);
SLOT(37, batch_cancelled);
SLOT(38, batch_stat_get);
SLOT(39, batch_stat_set);
SLOT(40, batch_cache_put);
SLOT(41, batch_cache_get);
SLOT(42, batch_counts);
SLOT(43, keys_emit);
SLOT(44, keys_rows);
SLOT(45, keys_count);
SLOT(46, keys_next);
SLOT(47, keys_rewind);
SLOT(48, keys_decide);
SLOT(49, keys_cancelled);
SLOT(50, keys_memory);
SLOT(51, batch_cache_put_rows);
SLOT(52, batch_cache_room);
SLOT(53, batch_row_json);
SLOT(54, keys_tell);
SLOT(55, batch_told);
SLOT(56, keys_note);
SIZE(struct pex_host, 57 * sizeof(void *));

int main(void)
{
    return 0;
}

# SPDX-License-Identifier: Apache-2.0
from facts import kept


def test_parameters_of_a_cluster_have_no_effect(host, tap):
    long = "one two three four five six"
    for name, params in (
            ("ray_document_deduplicator", {"backend": "redis", "redis_address": "redis://x:1"}),
            ("ray_bts_minhash_deduplicator",
             {"union_find_parallel_num": 4, "union_threshold": 256, "minhash_batch_size": 1000,
              "max_pending_edge_buffer_task": 20, "num_edge_buffer_task_returns": 10,
              "max_pending_filter_tasks": 20, "num_filter_task_returns": 10,
              "merge_batch_size": 1000, "memory_per_sample": 0.1,
              "tmp_file_name": "./outputs/ray-dedup-tmp/"}),
            ("ray_bts_minhash_deduplicator", {"union_find_parallel_num": "auto"})):
        got = kept(host, name, params, [long, "another text of some more words", long])
        tap.check(got == [0, 1], f"{name} {params}", got)

# SPDX-License-Identifier: Apache-2.0
from facts import failure

NAME = "tags_specified_field_selector"


def test_tags(host, tap):
    for tags in (None, 1, {"a": 1}, [["a"]], [{}]):
        message = failure(host, NAME, {"field_key": "v", "target_tags": tags}, {"v": 1})
        tap.check("'target_tags'" in message and "expected a list" in message, f"refuses {tags}",
                  message)
    message = failure(host, NAME, {"field_key": "v"}, {"v": 1})
    tap.check("target_tags" in message, "tags are required", message)
    answer = host.run(NAME, {"field_key": "v", "target_tags": [1]}, [{"v": [1]}, {"v": 1}])
    tap.check("row 0" in str(answer.get("error")), "a list is no tag", answer)
    rows = [{"v": 1}, {"w": 1}, {"v": None}]
    answer = host.run(NAME, {"field_key": "v", "target_tags": [None]}, rows)
    tap.check([i for i, _ in answer["rows"]] == [1, 2], "a missing field is null", answer)

# SPDX-License-Identifier: Apache-2.0
"""What the cases of single operators ask of the host."""
# U+1F600 as JSON writes it, and half of it.
PAIR, HALF = "\U0001f600", "\ud83d"


def kept(host, operator, params, texts, **more):
    answer = host.run(operator, params, [{"text": t} for t in texts], **more)
    return [i for i, _ in answer["rows"]] if "rows" in answer else answer


def mapped(host, operator, params, text):
    answer = host.run(operator, params, [{"text": text}])
    return answer["rows"][0][1]["text"] if answer.get("rows") else answer


def failure(host, operator, params, row):
    answer = host.run(operator, params, [row])
    if "error" in answer:
        return answer["error"]["message"]
    return answer["failed"][0][2] if answer["failed"] else ""

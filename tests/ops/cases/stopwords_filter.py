# SPDX-License-Identifier: Apache-2.0
import json
import os
import tempfile

from facts import failure


def refusal(host, operator, params):
    return host.run(operator, params, [{"text": "a"}]).get("error", {})


def test_lists_that_are_none(host, tap):
    for kind in ("stopwords", "flagged_words"):
        operator, key = kind + "_filter", kind + "_dir"
        with tempfile.TemporaryDirectory() as folder:
            for params, word in (({}, key), ({key: ""}, key), ({key: "/no/such"}, "/no/such"),
                                 ({key: folder}, "*.json")):
                error = refusal(host, operator, params)
                tap.check(error.get("at") == "check" and word in error["message"],
                          f"{operator}: {word} is named", error)
            path = os.path.join(folder, f"{kind}.json")
            for text, word in (("[", "line"), ("[]", "object"), ('{"en": 1}', '"en"'),
                               ('{"en": [1]}', "word 0"), ('{"de": []}', "'lang'")):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                error = refusal(host, operator, {key: folder})
                tap.check(word in error.get("message", ""), f"{operator}: {text} is refused", error)
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"en": ["a"]}, file)
            for params, word in (({"words_aug_group_sizes": [0]}, "words_aug_group_sizes"),
                                 ({"tokenization": True}, "tokenization")):
                message = failure(host, operator, {key: folder, **params}, {"text": "a"})
                tap.check(word in message, f"{operator}: {word} is named", message)

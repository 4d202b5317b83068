# SPDX-License-Identifier: Apache-2.0
from models import document_deduplicator as other


def differs(host, rng):
    return other.differs(host, rng, "ray_document_deduplicator")

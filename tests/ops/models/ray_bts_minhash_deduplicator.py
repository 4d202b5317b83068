# SPDX-License-Identifier: Apache-2.0
from models import document_minhash_deduplicator as other


def differs(host, rng):
    return other.differs(host, rng, "ray_bts_minhash_deduplicator")

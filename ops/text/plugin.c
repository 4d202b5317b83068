/* SPDX-License-Identifier: Apache-2.0 */
#include "operators.h"

PEX_PLUGIN_DEFINE("text", "0.1.0")

PEX_PLUGIN_ENTRY(pex_context *registry)
{
    static const struct pex_operator *const operators[] = {
        &pex__text_chunk_mapper,
        &pex__text_length_filter,
        &pex__words_num_filter,
        &pex__whitespace_normalization_mapper,
        &pex__clean_links_mapper,
        &pex__document_deduplicator,
        &pex__document_line_deduplicator,
        &pex__document_minhash_deduplicator,
        &pex__document_minhash_deduplicator_with_uid,
        &pex__document_simhash_deduplicator,
        &pex__flagged_words_filter,
        &pex__remove_long_words_mapper,
        &pex__remove_repeat_sentences_mapper,
        &pex__remove_words_with_incorrect_substrings_mapper,
        &pex__stopwords_filter,
        &pex__word_repetition_filter,
        &pex__expand_macro_mapper,
        &pex__clean_copyright_mapper,
        &pex__clean_html_mapper,
        &pex__remove_bibliography_mapper,
        &pex__remove_comments_mapper,
        &pex__remove_header_mapper,
        &pex__remove_table_text_mapper,
        &pex__alphanumeric_filter,
        &pex__average_line_length_filter,
        &pex__character_repetition_filter,
        &pex__chinese_convert_mapper,
        &pex__maximum_line_length_filter,
        &pex__punctuation_normalization_mapper,
        &pex__remove_non_chinese_character_mapper,
        &pex__remove_specific_chars_mapper,
        &pex__special_characters_filter,
        &pex__suffix_filter,
        &pex__specified_field_filter,
        &pex__specified_numeric_field_filter,
        &pex__range_specified_field_selector,
        &pex__ray_bts_minhash_deduplicator,
        &pex__ray_document_deduplicator,
        &pex__frequency_specified_field_selector,
        &pex__tags_specified_field_selector,
        &pex__random_selector,
        &pex__topk_specified_field_selector,
        &pex__general_field_filter,
        &pex__clean_email_mapper,
        &pex__clean_ip_mapper,
        &pex__replace_content_mapper,
    };
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        int32_t rc = pex_operator_register(registry, operators[i], NULL, NULL, NULL);
        if (rc)
            return rc;
    }
    return 0;
}

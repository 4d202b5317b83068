/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of the plugin, one file each. */
#ifndef PEX_TEXT_OPERATORS_H
#define PEX_TEXT_OPERATORS_H

#include <partexec/plugin.h>

extern const struct pex_operator pex__text_chunk_mapper;
extern const struct pex_operator pex__text_length_filter;
extern const struct pex_operator pex__words_num_filter;
extern const struct pex_operator pex__whitespace_normalization_mapper;
extern const struct pex_operator pex__clean_links_mapper;
extern const struct pex_operator pex__document_deduplicator;
extern const struct pex_operator pex__document_line_deduplicator;
extern const struct pex_operator pex__document_minhash_deduplicator;
extern const struct pex_operator pex__document_minhash_deduplicator_with_uid;
extern const struct pex_operator pex__document_simhash_deduplicator;
extern const struct pex_operator pex__flagged_words_filter;
extern const struct pex_operator pex__remove_long_words_mapper;
extern const struct pex_operator pex__remove_repeat_sentences_mapper;
extern const struct pex_operator pex__remove_words_with_incorrect_substrings_mapper;
extern const struct pex_operator pex__stopwords_filter;
extern const struct pex_operator pex__word_repetition_filter;
extern const struct pex_operator pex__expand_macro_mapper;
extern const struct pex_operator pex__clean_copyright_mapper;
extern const struct pex_operator pex__clean_html_mapper;
extern const struct pex_operator pex__remove_bibliography_mapper;
extern const struct pex_operator pex__remove_comments_mapper;
extern const struct pex_operator pex__remove_header_mapper;
extern const struct pex_operator pex__remove_table_text_mapper;
extern const struct pex_operator pex__alphanumeric_filter;
extern const struct pex_operator pex__average_line_length_filter;
extern const struct pex_operator pex__character_repetition_filter;
extern const struct pex_operator pex__chinese_convert_mapper;
extern const struct pex_operator pex__maximum_line_length_filter;
extern const struct pex_operator pex__punctuation_normalization_mapper;
extern const struct pex_operator pex__remove_non_chinese_character_mapper;
extern const struct pex_operator pex__remove_specific_chars_mapper;
extern const struct pex_operator pex__special_characters_filter;
extern const struct pex_operator pex__suffix_filter;
extern const struct pex_operator pex__specified_field_filter;
extern const struct pex_operator pex__specified_numeric_field_filter;
extern const struct pex_operator pex__range_specified_field_selector;
extern const struct pex_operator pex__ray_bts_minhash_deduplicator;
extern const struct pex_operator pex__ray_document_deduplicator;
extern const struct pex_operator pex__frequency_specified_field_selector;
extern const struct pex_operator pex__tags_specified_field_selector;
extern const struct pex_operator pex__random_selector;
extern const struct pex_operator pex__topk_specified_field_selector;
extern const struct pex_operator pex__general_field_filter;
extern const struct pex_operator pex__clean_email_mapper;
extern const struct pex_operator pex__clean_ip_mapper;
extern const struct pex_operator pex__replace_content_mapper;

#endif

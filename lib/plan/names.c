/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators that Data-Juicer has or had: one that is not registered is refused by what is missing,
 * with the remedy. Those that are registered are found before this table is asked.
 */
#include "plan/spec.h"

#include <string.h>

#define OR_PLUGIN ", or load a plugin that has it (--plugin)"

static const char *const text_names[] = {
    "alphanumeric_filter",
    "average_line_length_filter",
    "character_repetition_filter",
    "chinese_convert_mapper",
    "clean_copyright_mapper",
    "clean_email_mapper",
    "clean_html_mapper",
    "clean_ip_mapper",
    "clean_links_mapper",
    "document_deduplicator",
    "document_line_deduplicator",
    "document_minhash_deduplicator",
    "document_minhash_deduplicator_with_uid",
    "document_simhash_deduplicator",
    "expand_macro_mapper",
    "flagged_words_filter",
    "frequency_specified_field_selector",
    "general_field_filter",
    "maximum_line_length_filter",
    "punctuation_normalization_mapper",
    "random_selector",
    "range_specified_field_selector",
    "ray_bts_minhash_deduplicator",
    "ray_document_deduplicator",
    "remove_bibliography_mapper",
    "remove_comments_mapper",
    "remove_header_mapper",
    "remove_long_words_mapper",
    "remove_non_chinese_character_mapper",
    "remove_repeat_sentences_mapper",
    "remove_specific_chars_mapper",
    "remove_table_text_mapper",
    "remove_words_with_incorrect_substrings_mapper",
    "replace_content_mapper",
    "special_characters_filter",
    "specified_field_filter",
    "specified_numeric_field_filter",
    "stopwords_filter",
    "suffix_filter",
    "tags_specified_field_selector",
    "text_chunk_mapper",
    "text_length_filter",
    "topk_specified_field_selector",
    "whitespace_normalization_mapper",
    "word_repetition_filter",
    "words_num_filter",
    NULL,
};

static const char *const image_names[] = {
    "depth_anything_v2_mapper",
    "detect_character_attributes_mapper",
    "detect_character_locations_mapper",
    "detect_main_character_mapper",
    "image_aesthetics_filter",
    "image_aspect_ratio_filter",
    "image_blur_mapper",
    "image_captioning_from_gpt4v_mapper",
    "image_captioning_mapper",
    "image_deduplicator",
    "image_detection_yolo_mapper",
    "image_diffusion_mapper",
    "image_face_blur_mapper",
    "image_face_count_filter",
    "image_face_ratio_filter",
    "image_mmpose_mapper",
    "image_nsfw_filter",
    "image_ohem_selector",
    "image_pair_similarity_filter",
    "image_remove_background_mapper",
    "image_sam_3d_body_mapper",
    "image_segment_mapper",
    "image_shape_filter",
    "image_size_filter",
    "image_subplot_filter",
    "image_tagging_mapper",
    "image_tagging_vlm_mapper",
    "image_text_matching_filter",
    "image_text_similarity_filter",
    "image_watermark_filter",
    "imgdiff_difference_area_generator_mapper",
    "imgdiff_difference_caption_generator_mapper",
    "mllm_mapper",
    "mmpose_mapper",
    "phrase_grounding_recall_filter",
    "ray_bts_image_minhash_deduplicator",
    "ray_image_deduplicator",
    "sam_auto_mask_mapper",
    "sdxl_prompt2prompt_mapper",
    "vlm_ray_vllm_engine_pipeline",
    NULL,
};

static const char *const audio_names[] = {
    "audio_add_gaussian_noise_mapper",
    "audio_duration_filter",
    "audio_ffmpeg_wrapped_mapper",
    "audio_nmf_snr_filter",
    "audio_size_filter",
    NULL,
};

static const char *const video_names[] = {
    "export_to_lerobot_mapper",
    "ray_video_deduplicator",
    "vggt_mapper",
    "video_active_speaker_detect_mapper",
    "video_aesthetics_filter",
    "video_animal_pose_mapper",
    "video_aspect_ratio_filter",
    "video_atomic_action_segment_mapper",
    "video_audio_ASR_mapper",
    "video_audio_detect_age_gender_mapper",
    "video_audio_speech_emotion_mapper",
    "video_calibration_mapper",
    "video_camera_calibration_deepcalib_mapper",
    "video_camera_calibration_droidcalib_mapper",
    "video_camera_calibration_moge_mapper",
    "video_camera_pose_megasam_mapper",
    "video_captioning_face_attribute_emotion_mapper",
    "video_captioning_from_audio_mapper",
    "video_captioning_from_frames_mapper",
    "video_captioning_from_human_tracks_mapper",
    "video_captioning_from_summarizer_mapper",
    "video_captioning_from_video_mapper",
    "video_captioning_from_vlm_mapper",
    "video_clip_reassembly_mapper",
    "video_deduplicator",
    "video_depth_estimation_mapper",
    "video_duration_filter",
    "video_extract_frames_mapper",
    "video_face_blur_mapper",
    "video_face_ratio_filter",
    "video_ffmpeg_wrapped_mapper",
    "video_frames_text_similarity_filter",
    "video_hand_action_compute_mapper",
    "video_hand_motion_smooth_mapper",
    "video_hand_reconstruction_hawor_mapper",
    "video_hand_reconstruction_mapper",
    "video_human_tracks_extraction_mapper",
    "video_human_tracks_face_demographic_mapper",
    "video_motion_score_filter",
    "video_motion_score_ptlflow_filter",
    "video_motion_score_raft_filter",
    "video_nsfw_filter",
    "video_object_segmenting_mapper",
    "video_ocr_area_ratio_filter",
    "video_remove_watermark_mapper",
    "video_resize_aspect_ratio_mapper",
    "video_resize_resolution_mapper",
    "video_resolution_filter",
    "video_split_by_duration_mapper",
    "video_split_by_key_frame_mapper",
    "video_split_by_scene_mapper",
    "video_tagging_from_audio_mapper",
    "video_tagging_from_frames_filter",
    "video_tagging_from_frames_mapper",
    "video_trajectory_overlay_mapper",
    "video_undistort_mapper",
    "video_watermark_filter",
    "video_whole_body_pose_estimation_mapper",
    NULL,
};

static const char *const agent_names[] = {
    "agent_bad_case_signal_mapper",  "agent_cross_model_pair_mapper",
    "agent_dialog_normalize_mapper", "agent_distill_trajectory_mapper",
    "agent_error_taxonomy_mapper",   "agent_harness_noise_mapper",
    "agent_insight_llm_mapper",      "agent_learnable_value_mapper",
    "agent_rewrite_hint_mapper",     "agent_safety_gate_mapper",
    "agent_session_deduplicator",    "agent_skill_insight_mapper",
    "agent_sys_log_noise_mapper",    "agent_tool_relevance_mapper",
    "agent_tool_type_mapper",        "agent_trace_coherence_mapper",
    "agent_training_card_mapper",    "tool_success_tagger_mapper",
    "usage_counter_mapper",          NULL,
};

static const char *const llm_names[] = {
    "calibrate_qa_mapper",
    "calibrate_query_mapper",
    "calibrate_response_mapper",
    "dialog_clarification_quality_mapper",
    "dialog_coreference_mapper",
    "dialog_error_recovery_mapper",
    "dialog_intent_detection_mapper",
    "dialog_memory_consistency_mapper",
    "dialog_non_repetition_mapper",
    "dialog_proactivity_mapper",
    "dialog_sentiment_detection_mapper",
    "dialog_sentiment_intensity_mapper",
    "dialog_topic_detection_mapper",
    "dialog_topic_shift_mapper",
    "entity_attribute_aggregator",
    "extract_entity_attribute_mapper",
    "extract_entity_relation_mapper",
    "extract_event_mapper",
    "extract_keyword_mapper",
    "extract_nickname_mapper",
    "extract_qa_mapper",
    "extract_support_text_mapper",
    "generate_challenging_qa_mapper",
    "generate_instruction_mapper",
    "generate_qa_from_examples_mapper",
    "generate_qa_from_text_mapper",
    "llm_analysis_filter",
    "llm_api_difficulty_score_filter",
    "llm_api_quality_score_filter",
    "llm_condition_filter",
    "llm_difficulty_score_filter",
    "llm_extract_mapper",
    "llm_perplexity_filter",
    "llm_quality_score_filter",
    "llm_ray_vllm_engine_pipeline",
    "llm_task_relevance_filter",
    "meta_tags_aggregator",
    "most_relevant_entities_aggregator",
    "nested_aggregator",
    "optimize_instruction_mapper",
    "optimize_prompt_mapper",
    "optimize_qa_mapper",
    "optimize_query_mapper",
    "optimize_response_mapper",
    "pair_preference_mapper",
    "pii_llm_suspect_mapper",
    "relation_identity_mapper",
    "sentence_augmentation_mapper",
    "text_tagging_by_prompt_mapper",
    NULL,
};

static const char *const neural_names[] = {
    "group_diversity_filter",
    "in_context_influence_filter",
    "instruction_following_difficulty_filter",
    "query_intent_detection_mapper",
    "query_sentiment_detection_mapper",
    "query_sentiment_intensity_mapper",
    "query_topic_detection_mapper",
    "text_embd_similarity_filter",
    "text_embedding_mapper",
    "text_pair_similarity_filter",
    NULL,
};

static const char *const grammar_names[] = {
    "text_action_filter",
    "text_entity_dependency_filter",
    NULL,
};

static const char *const random_names[] = {
    "nlpaug_en_mapper",
    "nlpcda_zh_mapper",
    NULL,
};

static const char *const python_names[] = {
    "python_file_mapper",
    "python_lambda_mapper",
    NULL,
};

static const char *const network_names[] = {
    "download_file_mapper",
    "s3_download_file_mapper",
    "s3_upload_file_mapper",
    NULL,
};

static const char *const group_names[] = {
    "key_value_grouper",
    "naive_grouper",
    "naive_reverse_grouper",
    NULL,
};

static const char *const fused_names[] = {
    "fused_sequential_batch_op",
    "general_fused_op",
    NULL,
};

static const char *const other_names[] = {
    "arxiv_to_markdown_mapper",
    "extract_tables_from_html_mapper",
    "latex_figure_context_extractor_mapper",
    "latex_merge_tex_mapper",
    "pdf_to_markdown_mapper",
    "pii_redaction_mapper",
    NULL,
};

static const char *const people_names[] = {"human_preference_annotation_mapper", NULL};
static const char *const fix_unicode_names[] = {"fix_unicode_mapper", NULL};
static const char *const language_names[] = {"language_id_score_filter", NULL};
static const char *const perplexity_names[] = {"perplexity_filter", NULL};
static const char *const token_names[] = {"token_num_filter", NULL};
static const char *const sentence_names[] = {"sentence_split_mapper", NULL};
static const char *const repartition_names[] = {"ray_repartition_pipeline", NULL};
static const char *const minhash_names[] = {"ray_bts_minhash_cpp_deduplicator", NULL};
static const char *const minhash_uid_names[] = {"ray_bts_minhash_deduplicator_with_uid", NULL};

static const struct {
    const char *const *names; /* ends with NULL */
    const char *why;          /* what is missing, and the remedy */
} groups[] = {
    {text_names, "it is in the plugin of text operators, which is not loaded, or was built without"
                 " it: install the plugin, or name it with --plugin"},
    {image_names, "it works on images, and there are no operators on media in this version: leave "
                  "it out" OR_PLUGIN},
    {audio_names, "it works on audio, and there are no operators on media in this version: leave it"
                  " out" OR_PLUGIN},
    {video_names, "it works on video, and there are no operators on media in this version: leave it"
                  " out" OR_PLUGIN},
    {agent_names, "it works on the traces of agents, which no operator in this version does: leave "
                  "it out" OR_PLUGIN},
    {llm_names, "it asks a large language model, which no operator in this version does: take "
                "that step with another tool and leave it out" OR_PLUGIN},
    {neural_names,
     "it needs a neural model, and there are none in this version: take that step with"
     " another tool and leave it out" OR_PLUGIN},
    {grammar_names, "it needs a model of the grammar of a language (spaCy), which is not in this "
                    "version: leave it out" OR_PLUGIN},
    {random_names,
     "it changes texts at random by a library in Python, which is not in this version:"
     " take that step with another tool and leave it out" OR_PLUGIN},
    {python_names,
     "it runs code in Python: write that operator as a plugin (--plugin), or take that"
     " step with another tool"},
    {network_names, "it moves files over the network, and there is no network code here: move them "
                    "before or after the job, and leave it out"},
    {group_names, "it makes one row of several, or several of one such row, which no operator in "
                  "this version does: take that step with another tool and leave it out" OR_PLUGIN},
    {fused_names, "a batch passes all operators of a stage anyway: name the operators inside of it "
                  "in `process`, one after the other"},
    {people_names,
     "it asks people by a service for annotations, and there is no network code here: "
     "take that step with another tool and leave it out"},
    {other_names,
     "it is not in this version: take that step with another tool and leave it out" OR_PLUGIN},
    {fix_unicode_names,
     "it mends text by the rules of ftfy, which are not in this version: run ftfy over"
     " the rows before, and leave it out" OR_PLUGIN},
    {language_names,
     "it needs a model that recognizes languages (fastText lid.176), which is not in "
     "this version: choose the rows by language with another tool and leave it out" OR_PLUGIN},
    {perplexity_names, "it needs models of languages (KenLM, SentencePiece), which are not in this "
                       "version: score the rows with another tool, whose score "
                       "specified_numeric_field_filter can read, and leave it out" OR_PLUGIN},
    {token_names, "it needs the model of a tokenizer, which is not in this version: count words "
                  "with words_num_filter" OR_PLUGIN},
    {sentence_names,
     "it needs a model of where sentences end (NLTK), which is not in this version: "
     "leave it out, or cut with text_chunk_mapper" OR_PLUGIN},
    {repartition_names, "it moves rows between the machines of a cluster: leave it out; keys below "
                        "partition say how rows are cut here"},
    {minhash_names,
     "it is one of several forms for a cluster: write document_minhash_deduplicator, "
     "which finds the same duplicates"},
    {minhash_uid_names,
     "it is the form for a cluster: write document_minhash_deduplicator_with_uid, "
     "which finds the same duplicates"},
};

const char *pex__reference_operator(const char *name)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        for (const char *const *at = groups[i].names; *at != NULL; at++) {
            if (strcmp(*at, name) == 0)
                return groups[i].why;
        }
    }
    return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include <stdlib.h>

int main(void)
{
    Suite *suite = suite_create("batch");
    SRunner *runner;
    int failed;

    suite_add_tcase(suite, cases_of_sets());
    suite_add_tcase(suite, cases_of_reads());
    suite_add_tcase(suite, cases_of_rows());
    suite_add_tcase(suite, cases_of_encoding());
    suite_add_tcase(suite, cases_of_keys());
    suite_add_tcase(suite, cases_of_numbers());
    suite_add_tcase(suite, cases_of_quarantine());
    suite_add_tcase(suite, cases_of_memory());
    suite_add_tcase(suite, cases_of_joined());
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Replays the files of a fuzzer's corpus: replay FOLDER. Prints TAP. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *folder, const char *name)
{
    char path[4096];
    uint8_t *data;
    size_t size;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    data = malloc(1 << 20);
    if (file == NULL || data == NULL) {
        perror(path);
        return 0;
    }
    size = fread(data, 1, 1 << 20, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    struct dirent *entry;
    int count = 0, ok;

    if (folder == NULL) {
        fprintf(stderr, "usage: replay FOLDER\n");
        return 1;
    }
    while ((entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        ok = replay(argv[1], entry->d_name);
        printf("%s %d - %s\n", ok ? "ok" : "not ok", ++count, entry->d_name);
    }
    printf("1..%d\n", count);
    closedir(folder);
    return count == 0;
}

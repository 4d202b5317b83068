/* SPDX-License-Identifier: Apache-2.0 */
#include "api/plugin_open.h"

#include "base/error.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int32_t check_start(int fd, const char *path, struct pex_error *err)
{
    struct stat status;
    char start[SELFMAG];
    ssize_t got;

    if (fstat(fd, &status) != 0)
        return pex__error_system(err, "cannot look at the plugin", path, errno);
    if (S_ISDIR(status.st_mode))
        return pex_error_set(err, PEX_EABI, "%s is no plugin: it is a folder", path);
    if (!S_ISREG(status.st_mode))
        return pex_error_set(err, PEX_EABI, "%s is no plugin: it is not a regular file", path);
    got = pread(fd, start, sizeof start, 0);
    if (got < 0)
        return pex__error_system(err, "cannot read the plugin", path, errno);
    if (got < (ssize_t)sizeof start || memcmp(start, ELFMAG, SELFMAG) != 0)
        return pex_error_set(err, PEX_EABI,
                             "%s is no plugin: it is not a shared object (ELF); build it with "
                             "cc -shared -fPIC",
                             path);
    return 0;
}

/* The loader's own words for these are hard to understand, or it would wait (a pipe). */
static int32_t check_file(const char *path, struct pex_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int32_t failed;

    if (fd < 0)
        return pex__error_system(err, "cannot open the plugin", path, errno);
    failed = check_start(fd, path, err);
    close(fd);
    return failed;
}

/* Members are looked at only once those before say that they are there. */
static int32_t check_info(const struct pex_plugin_info *info, const char *path, size_t host_size,
                          struct pex_error *err)
{
    if (info->magic != PEX_PLUGIN_MAGIC)
        return pex_error_set(err, PEX_EABI,
                             "%s is no plugin: its pex_plugin_info starts with %#x, not with the "
                             "magic %#x",
                             path, (unsigned)info->magic, PEX_PLUGIN_MAGIC);
    if (info->major != PEX_PLUGIN_MAJOR)
        return pex_error_set(
            err, PEX_EABI, "%s is built for plugin interface %d, this library has %d: %s", path,
            (int)info->major, PEX_PLUGIN_MAJOR,
            info->major > PEX_PLUGIN_MAJOR ? "use a newer library" : "rebuild the plugin");
    if (info->struct_size < sizeof *info)
        return pex_error_set(err, PEX_EABI,
                             "%s is no plugin: its pex_plugin_info has %u bytes, at least %zu are "
                             "needed",
                             path, (unsigned)info->struct_size, sizeof *info);
    if (info->required_features != 0)
        return pex_error_set(err, PEX_ENOTSUP,
                             "%s needs features (%#llx) that this library does not have: use a "
                             "newer library",
                             path, (unsigned long long)info->required_features);
    if (info->host_size < 0 || (size_t)info->host_size > host_size)
        return pex_error_set(
            err, PEX_EABI,
            "%s is built for a newer library (a host table of %d bytes, here %zu): "
            "use a newer library",
            path, (int)info->host_size, host_size);
    if (info->name == NULL || info->name[0] == '\0' || info->version == NULL)
        return pex_error_set(err, PEX_EABI, "%s is no plugin: its pex_plugin_info has no %s", path,
                             info->version == NULL ? "version" : "name");
    return 0;
}

static int32_t check_object(struct pex__plugin *plugin, const char *path, size_t host_size,
                            struct pex_error *err)
{
    int32_t failed;

    plugin->info = dlsym(plugin->object, "pex_plugin_info");
    if (plugin->info == NULL)
        return pex_error_set(err, PEX_EABI,
                             "%s is no plugin: it exports no pex_plugin_info; PEX_PLUGIN_DEFINE in "
                             "partexec/plugin.h makes one",
                             path);
    failed = check_info(plugin->info, path, host_size, err);
    if (failed != 0)
        return failed;
    *(void **)&plugin->init = dlsym(plugin->object, "pex_plugin_init");
    if (plugin->init == NULL)
        return pex_error_set(err, PEX_EABI, "%s is no plugin: it exports no pex_plugin_init", path);
    return 0;
}

int32_t pex__plugin_open(const char *path, size_t host_size, struct pex__plugin *plugin,
                         struct pex_error *err)
{
    int32_t failed = check_file(path, err);

    if (failed != 0)
        return failed;
    plugin->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (plugin->object == NULL)
        return pex_error_set(err, PEX_EABI, "plugin %s cannot be loaded: %s", path, dlerror());
    failed = check_object(plugin, path, host_size, err);
    if (failed != 0)
        pex__plugin_close(plugin);
    return failed;
}

void pex__plugin_close(struct pex__plugin *plugin)
{
    dlclose(plugin->object);
    plugin->object = NULL;
}

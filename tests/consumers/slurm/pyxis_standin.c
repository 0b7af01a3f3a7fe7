/* Stands in for the container runtime on a test cluster: takes the options that pyxis takes, judges their form as pyxis
 * would, and runs the task on the host with a folder of stand-in programs first in its PATH.
 *
 * plugstack.conf: required pyxis_standin.so programs=DIR facts=DIR */
#include <slurm/spank.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SPANK_PLUGIN(pyxis_standin, 1);

enum { IMAGE, MOUNTS, WORKDIR, NAME, SAVE, ENV, FLAG };

static char *image, *workdir, *programs = "", *facts = "";

static int refuse(const char *option, const char *value) {
    slurm_error("container: --container-%s: invalid format: %s", option, value);
    return -1;
}

/* SOURCE[:TARGET[:FLAGS]], separated by commas; sources and targets are absolute. */
static int mounts_are_sound(const char *value) {
    char *copy = strdup(value), *rest = copy, *entry;
    int sound = 1;
    while (sound && (entry = strsep(&rest, ",")) != NULL) {
        char *part, *parts = entry;
        int count = 0;
        while ((part = strsep(&parts, ":")) != NULL)
            if (++count > 3 || *part == '\0' || (count <= 2 && *part != '/'))
                sound = 0;
    }
    free(copy);
    return sound;
}

static int on_option(int kind, const char *value, int remote) {
    (void)remote;
    if (kind == FLAG)
        return 0;
    if (value == NULL || *value == '\0')
        return refuse("*", "an empty value");
    if (kind == IMAGE) {
        if (strpbrk(value, " \t\n") != NULL)
            return refuse("image", value);
        if (image != NULL && strcmp(image, value) != 0)
            return refuse("image", "given twice");
        image = strdup(value);
    }
    if (kind == MOUNTS && !mounts_are_sound(value))
        return refuse("mounts", value);
    if (kind == WORKDIR) {
        if (*value != '/')
            return refuse("workdir", value);
        workdir = strdup(value);
    }
    if (kind == ENV && strpbrk(value, "= \t") != NULL)
        return refuse("env", value);
    return 0;
}

static struct spank_option options[] = {
    {"container-image", "IMAGE", "[stand-in]", 1, IMAGE, on_option},
    {"container-mounts", "SOURCE:TARGET[:FLAGS][,...]", "[stand-in]", 1, MOUNTS, on_option},
    {"container-workdir", "PATH", "[stand-in]", 1, WORKDIR, on_option},
    {"container-name", "NAME", "[stand-in]", 1, NAME, on_option},
    {"container-save", "PATH", "[stand-in]", 1, SAVE, on_option},
    {"container-env", "NAME[,NAME...]", "[stand-in]", 1, ENV, on_option},
    {"container-unshare", "NAMESPACE", "[stand-in]", 1, NAME, on_option},
    {"container-mount-home", NULL, "[stand-in]", 0, FLAG, on_option},
    {"no-container-mount-home", NULL, "[stand-in]", 0, FLAG, on_option},
    {"container-remap-root", NULL, "[stand-in]", 0, FLAG, on_option},
    {"no-container-remap-root", NULL, "[stand-in]", 0, FLAG, on_option},
    {"container-entrypoint", NULL, "[stand-in]", 0, FLAG, on_option},
    {"no-container-entrypoint", NULL, "[stand-in]", 0, FLAG, on_option},
    {"container-entrypoint-log", NULL, "[stand-in]", 0, FLAG, on_option},
    {"container-writable", NULL, "[stand-in]", 0, FLAG, on_option},
    {"container-readonly", NULL, "[stand-in]", 0, FLAG, on_option},
    SPANK_OPTIONS_TABLE_END,
};

int slurm_spank_init(spank_t spank, int count, char **arguments) {
    if (spank_context() == S_CTX_SLURMD)
        return 0;
    for (int i = 0; i < count; i++) {
        if (strncmp(arguments[i], "programs=", 9) == 0)
            programs = arguments[i] + 9;
        if (strncmp(arguments[i], "facts=", 6) == 0)
            facts = arguments[i] + 6;
    }
    for (struct spank_option *option = options; option->name != NULL; option++)
        if (spank_option_register(spank, option) != ESPANK_SUCCESS)
            return -1;
    return 0;
}

/* In the task: as inside the container, other programs are found first. */
int slurm_spank_user_init(spank_t spank, int count, char **arguments) {
    char path[8192] = "/usr/bin:/bin", with_programs[16384];
    (void)count;
    (void)arguments;
    if (image == NULL)
        return 0;
    spank_getenv(spank, "PATH", path, sizeof path);
    snprintf(with_programs, sizeof with_programs, "%s:%s", programs, path);
    spank_setenv(spank, "PATH", with_programs, 1);
    spank_setenv(spank, "STANDIN_IMAGE", image, 1);
    spank_setenv(spank, "STANDIN_WORKDIR", workdir != NULL ? workdir : "", 1);
    spank_setenv(spank, "STANDIN_FACTS", facts, 1);
    return 0;
}

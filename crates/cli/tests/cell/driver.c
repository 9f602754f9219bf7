/* A driver that asks of the system what NVIDIA's does: the software GPU, which it is linked with,
   but for two functions. They do what a file beside this library lists, and say in the node's log
   how each went. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { LOG = 100, WORDS = 4096 };

static int is(const char* word, const char* name) { return strcmp(word, name) == 0; }

static int opens(const char* path, int flags) {
    int file = open(path, flags | O_CLOEXEC, 0600);
    if (file >= 0) close(file);
    return file >= 0;
}

static int makes(const char* path) {
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int made = file >= 0 && ftruncate(file, 4096) == 0 && unlink(path) == 0;
    if (file >= 0) close(file);
    return made;
}

static int lists(const char* path) {
    DIR* folder = opendir(path);
    if (folder) closedir(folder);
    return folder != NULL;
}

/* Where the folder is there already the driver goes on as well. */
static int makes_folder(const char* path) { return mkdir(path, 0700) == 0 || errno == EEXIST; }

static int packets(int (*join)(int, const struct sockaddr*, socklen_t), const char* name,
                   int abstract) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path + abstract, name, sizeof address.sun_path - 2);
    int end = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    socklen_t length = offsetof(struct sockaddr_un, sun_path) + abstract + strlen(name) + !abstract;
    int joined = end >= 0 && join(end, (void*)&address, length) == 0;
    int error = errno;
    if (end >= 0) close(end);
    errno = error;
    return joined;
}

static void* names_itself(void* name) {
    char path[WORDS];
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", gettid());
    FILE* file = fopen(path, "we");
    long failed = file == NULL ? errno : 0;
    if (file && (fputs(name, file) < 0 || fflush(file) != 0)) failed = errno;
    if (file) fclose(file);
    return (void*)failed;
}

static int has_named_thread(char* name) {
    pthread_t thread;
    void* failed;
    if ((errno = pthread_create(&thread, NULL, names_itself, name)) != 0) return 0;
    pthread_join(thread, &failed);
    errno = (long)failed;
    return failed == NULL;
}

static int goes(const char* what, char* on) {
    struct stat status;
    char target[WORDS];
    if (is(what, "read")) return opens(on, O_RDONLY);
    if (is(what, "use")) return opens(on, O_RDWR);
    if (is(what, "rewrite")) return opens(on, O_WRONLY | O_CREAT | O_TRUNC);
    if (is(what, "make")) return makes(on);
    if (is(what, "list")) return lists(on);
    if (is(what, "stat")) return stat(on, &status) == 0;
    if (is(what, "access")) return access(on, R_OK) == 0;
    if (is(what, "link")) return readlink(on, target, sizeof target) >= 0;
    if (is(what, "folder")) return makes_folder(on);
    if (is(what, "bind")) return packets(bind, on, 1);
    if (is(what, "call")) return packets(connect, on, 0);
    if (is(what, "thread")) return has_named_thread(on);
    errno = ENOTSUP;
    return 0;
}

/* What stands for one of the words that the list explains. */
static const char* meaning(const char* word, char* room, size_t size) {
    const char *cache = getenv("CUDA_CACHE_PATH"), *home = getenv("HOME");
    if (is(word, "HOME")) return home ? home : "/nonexistent";
    if (is(word, "CACHE")) return cache ? cache : "/nonexistent";
    snprintf(room, size, is(word, "PIDX") ? "%x" : "%d", is(word, "TID") ? gettid() : getpid());
    return room;
}

static void spell_out(const char* text, char* path, size_t size) {
    size_t length = 0;
    while (*text && length + 1 < size) {
        if (*text != '@') {
            path[length++] = *text++;
            continue;
        }
        char word[16] = "", room[16];
        size_t letters = strspn(++text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        strncat(word, text, letters < sizeof word ? letters : sizeof word - 1);
        length += snprintf(path + length, size - length, "%s", meaning(word, room, sizeof room));
        text += letters;
    }
    path[length < size ? length : size - 1] = 0;
}

static void do_all(const char* when) {
    char path[WORDS], line[WORDS];
    Dl_info own;
    dladdr((void*)do_all, &own);
    snprintf(path, sizeof path, "%.*s/needs", (int)(strrchr(own.dli_fname, '/') - own.dli_fname),
             own.dli_fname);
    FILE* needs = fopen(path, "re");
    for (int number = 1; needs && fgets(line, sizeof line, needs); number++) {
        char *which = strtok(line, " \n"), *what = strtok(NULL, " \n"), *on = strtok(NULL, "\n");
        if (!which || !is(which, when) || !on) continue;
        spell_out(on + strspn(on, " "), path, sizeof path);
        glob_t found = {0};
        int pattern = strchr(path, '*') && glob(path, 0, NULL, &found) == 0;
        errno = 0;
        int success = goes(what, pattern ? found.gl_pathv[0] : path);
        dprintf(LOG, "driver: line %d %s\n", number,
                success ? "ok"
                : errno ? strerrorname_np(errno)
                        : "nothing");
        if (pattern) globfree(&found);
    }
    if (needs)
        fclose(needs);
    else
        dprintf(LOG, "driver: no list\n");
    dprintf(LOG, "driver: done with %s\n", when);
}

int cuInit(unsigned flags) {
    int (*real)(unsigned) = dlsym(RTLD_NEXT, "cuInit");
    do_all("start");
    return real(flags);
}

int cuMemGetInfo_v2(size_t* available, size_t* total) {
    do_all("work");
    *available = *total = 1 << 30;
    return 0;
}

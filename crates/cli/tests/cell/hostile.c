/* A driver that has been taken over: the software GPU, which it is linked with, but for one
   function. That one tries to leave its worker's cell, in the ways that a file beside this library
   lists, one a line: what is tried, and what on. The node's log has how each went. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOG = 100, WORDS = 4096 };

static int opened(const char* path, int flags) {
    int file = open(path, flags | O_CLOEXEC, 0600);
    if (file >= 0) close(file);
    return file >= 0;
}

static int reads(const char* path) {
    char byte;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    int count = file >= 0 ? read(file, &byte, 1) : -1;
    if (file >= 0) close(file);
    return count >= 0;
}

static int lists(const char* path) {
    DIR* folder = opendir(path);
    if (folder) closedir(folder);
    return folder != NULL;
}

static int of_process(const char* process, const char* what, int (*try)(const char*)) {
    char path[WORDS];
    snprintf(path, sizeof path, "/proc/%s/%s", process, what);
    return try(path);
}

static int connects_to(int domain, const void* address, socklen_t length) {
    int end = socket(domain, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int connected = end >= 0 && connect(end, address, length) == 0;
    int error = errno;
    if (end >= 0) close(end);
    errno = error;
    return connected;
}

static int connects(const char* port) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(atoi(port)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return connects_to(AF_INET, &address, sizeof address);
}

static int listens(void) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(0)};
    int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int bound = end >= 0 && bind(end, (void*)&address, sizeof address) == 0 && listen(end, 1) == 0;
    if (end >= 0) close(end);
    return bound;
}

/* By a name without a file. */
static int meets(const char* name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path + 1, name, sizeof address.sun_path - 2);
    return connects_to(AF_UNIX, &address,
                       offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
}

static int visits(const char* path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    return connects_to(AF_UNIX, &address, sizeof address);
}

static int forks(void) {
    pid_t child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, NULL, 0);
    return child > 0;
}

static int runs(const char* program) {
    char* arguments[] = {(char*)program, NULL};
    pid_t child = vfork();
    if (child == 0) {
        execv(program, arguments);
        _exit(127);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static int peeks(pid_t process) {
    char byte;
    struct iovec own = {&byte, 1}, other = {(void*)1, 1};
    /* That nothing lies there is said to who may look. */
    return process_vm_readv(process, &own, 1, &other, 1, 0) == 1 || errno == EFAULT;
}

static int traces(pid_t process) {
    if (ptrace(PTRACE_SEIZE, process, 0, 0) != 0) return 0;
    ptrace(PTRACE_INTERRUPT, process, 0, 0);
    waitpid(process, NULL, __WALL);
    ptrace(PTRACE_DETACH, process, 0, 0);
    return 1;
}

static int borrows(pid_t process) {
    int found = syscall(SYS_pidfd_open, process, 0);
    int taken = found >= 0 ? syscall(SYS_pidfd_getfd, found, 2, 0) : -1;
    int error = errno;
    if (taken >= 0) close(taken);
    if (found >= 0) close(found);
    errno = error;
    return taken >= 0;
}

static int may_dump_core(void) {
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY}, none = {0, 0};
    int may = setrlimit(RLIMIT_CORE, &limit) == 0;
    if (may) setrlimit(RLIMIT_CORE, &none);
    return may;
}

static int counts_events(void) {
    struct perf_event_attr wish = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof wish, .config = PERF_COUNT_SW_CPU_CLOCK};
    int counter = syscall(SYS_perf_event_open, &wish, 0, -1, -1, 0);
    if (counter >= 0) close(counter);
    return counter >= 0;
}

static int opens_by_handle(const char* path) {
    struct {
        struct file_handle head;
        char room[MAX_HANDLE_SZ];
    } handle = {.head.handle_bytes = MAX_HANDLE_SZ};
    int mount, root = open("/", O_PATH | O_CLOEXEC);
    int file = name_to_handle_at(AT_FDCWD, path, &handle.head, &mount, 0) == 0
                   ? open_by_handle_at(root, &handle.head, O_RDONLY)
                   : -1;
    int error = errno;
    if (file >= 0) close(file);
    if (root >= 0) close(root);
    errno = error;
    return file >= 0;
}

static int attaches(int key) {
    int segment = shmget(key, 1, 0);
    return segment >= 0 && shmat(segment, NULL, SHM_RDONLY) != (void*)-1;
}

static int makes(long descriptor) {
    if (descriptor >= 0) close(descriptor);
    return descriptor >= 0;
}

static int is(const char* word, const char* name) { return strcmp(word, name) == 0; }

static int reached(const char* try, const char* on) {
    pid_t process = atoi(on);
    if (is(try, "read")) return reads(on);
    if (is(try, "list")) return lists(on);
    if (is(try, "write")) return opened(on, O_WRONLY);
    if (is(try, "make")) return opened(on, O_WRONLY | O_CREAT | O_EXCL);
    if (is(try, "remove")) return unlink(on) == 0;
    if (is(try, "change-mode")) return chmod(on, 0666) == 0;
    if (is(try, "link")) return symlink("/", on) == 0;
    if (is(try, "open-by-handle")) return opens_by_handle(on);
    if (is(try, "read-environment")) return of_process(on, "environ", reads);
    if (is(try, "read-maps")) return of_process(on, "maps", reads);
    if (is(try, "list-descriptors")) return of_process(on, "fd", lists);
    if (is(try, "trace")) return traces(process);
    if (is(try, "peek")) return peeks(process);
    if (is(try, "borrow")) return borrows(process);
    if (is(try, "signal")) return kill(process, SIGCONT) == 0;
    if (is(try, "connect")) return connects(on);
    if (is(try, "listen")) return listens();
    if (is(try, "meet")) return meets(on);
    if (is(try, "visit")) return visits(on);
    if (is(try, "fork")) return forks();
    if (is(try, "run")) return runs(on);
    if (is(try, "attach")) return attaches(atoi(on));
    if (is(try, "stray")) return fcntl(process, F_GETFD) >= 0;
    if (is(try, "be-dumped")) return prctl(PR_GET_DUMPABLE) == 1;
    if (is(try, "become-dumpable"))
        return prctl(PR_SET_DUMPABLE, 1) == 0 && prctl(PR_GET_DUMPABLE) == 1;
    if (is(try, "dump-core")) return may_dump_core();
    if (is(try, "open-many")) return makes(fcntl(0, F_DUPFD_CLOEXEC, 20000));
    if (is(try, "real-time")) {
        struct sched_param wish = {.sched_priority = 1}, none = {0};
        int got = sched_setscheduler(0, SCHED_FIFO, &wish) == 0;
        if (got) sched_setscheduler(0, SCHED_OTHER, &none);
        return got;
    }
    if (is(try, "mount")) return mount("none", on, "tmpfs", 0, NULL) == 0;
    if (is(try, "unshare")) return unshare(CLONE_NEWUTS) == 0;
    if (is(try, "set-host-name")) {
        char name[256];
        return gethostname(name, sizeof name) == 0 && sethostname(name, strlen(name)) == 0;
    }
    if (is(try, "set-user")) return syscall(SYS_setresuid, -1, -1, 1) == 0;
    if (is(try, "bpf"))
        return makes(syscall(SYS_bpf, 0, (char[128]){[0] = 2, [4] = 4, [8] = 4, [12] = 1}, 128));
    if (is(try, "count-events")) return counts_events();
    if (is(try, "keep-key"))
        return syscall(SYS_add_key, "user", "outhaul-test", "x", 1, KEY_SPEC_PROCESS_KEYRING) >= 0;
    if (is(try, "userfaultfd")) return makes(syscall(SYS_userfaultfd, O_CLOEXEC));
    if (is(try, "io-uring")) return makes(syscall(SYS_io_uring_setup, 1, (char[120]){0}));
    errno = EINVAL;
    dprintf(LOG, "hostile: there is no try '%s'\n", try);
    return 0;
}

int cuMemGetInfo_v2(size_t* available, size_t* total) {
    char path[WORDS], line[WORDS];
    Dl_info own;
    dladdr((void*)cuMemGetInfo_v2, &own);
    snprintf(path, sizeof path, "%.*s/tries", (int)(strrchr(own.dli_fname, '/') - own.dli_fname),
             own.dli_fname);
    FILE* tries = fopen(path, "re");
    while (tries && fgets(line, sizeof line, tries)) {
        char *try = strtok(line, " \n"), *on = strtok(NULL, "\n");
        errno = 0;
        int success = reached(try, on ? on : "");
        dprintf(LOG, "hostile: %s %s\n", try,
                success ? "reached"
                : errno ? strerrorname_np(errno)
                        : "nothing");
    }
    if (tries) fclose(tries);
    dprintf(LOG, "hostile: done\n");
    *available = *total = 1 << 30;
    return 0;
}

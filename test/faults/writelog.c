/*
 * Write logger, loaded into a process with LD_PRELOAD: logs in order every change that the process makes to files below
 * one folder, every sync of them, and every line of its acknowledgements. A logged sync was complete before the call
 * returned, so an acknowledgement that follows a sync also follows it in the log.
 *
 *   WRITELOG_FOLDER  the folder, absolute
 *   WRITELOG_ACKS    the file of acknowledgements, absolute
 *   WRITELOG_LOG     where to append the log
 *   WRITELOG_SYNCS   if set, the disk fails after this many syncs: every later one ends with EIO
 *
 * An entry is a header of 24 bytes and, for some kinds, bytes that follow it; powercut-log.ts reads it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	kind_start = 'S',     /* another process begins; places of entries are counted from here */
	kind_create = 'C',    /* file, its path follows */
	kind_write = 'W',     /* file, offset, its bytes follow */
	kind_size = 'T',      /* file, offset is the new size */
	kind_begin = 'B',     /* file: a sync of it begins */
	kind_synced = 'E',    /* file: the sync that began at place `offset` is over */
	kind_persisted = 'P', /* file: the write at place `offset` reached the disk before its call returned */
	kind_rename = 'R',    /* the old path, a zero byte and the new path follow */
	kind_remove = 'U',    /* its path follows */
	kind_names = 'Y',     /* names in the folder are on the disk as they are now */
	kind_ack = 'A',       /* what was written to the acknowledgements follows */
	kind_unseen = 'X',    /* the process did what this log cannot tell; what it was follows */
};

struct entry {
	uint32_t kind;
	uint32_t file;
	uint64_t offset;
	uint64_t length;
};

enum { is_file = 1, is_folder = 2, is_acks = 3 };

struct descriptor {
	char what;
	char synced_writes;
	uint32_t file;
};

#define descriptors_max 65536
#define files_max 4096

static struct descriptor descriptors[descriptors_max];
static struct { dev_t device; ino_t inode; uint32_t file; } files[files_max];
static uint32_t files_known, files_numbered;
static const char *folder, *acks;
static size_t folder_length;
static int log_descriptor = -1;
static uint64_t places;
static long syncs_left = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define real(name) ((__typeof__(&name))real_of(#name))

static void *real_of(const char *name) {
	void *found = dlsym(RTLD_NEXT, name);
	if (!found) abort();
	return found;
}

/*
 * With the lock held. Returns the entry's place. A log that cannot be written ends the process, since the log would be
 * wrong.
 */
static uint64_t append(uint32_t kind, uint32_t file, uint64_t offset, const void *bytes, uint64_t length) {
	struct entry head = { kind, file, offset, length };
	const char *parts[2] = { (const char *)&head, bytes };
	uint64_t lengths[2] = { sizeof head, length };
	for (int part = 0; part < 2; part++) {
		for (uint64_t done = 0; done < lengths[part];) {
			long wrote = syscall(SYS_write, log_descriptor, parts[part] + done, lengths[part] - done);
			if (wrote < 0 && errno == EINTR) continue;
			if (wrote <= 0) abort();
			done += (uint64_t)wrote;
		}
	}
	return places++;
}

static void append_unseen(uint32_t file, const char *what) {
	pthread_mutex_lock(&lock);
	append(kind_unseen, file, 0, what, strlen(what));
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void begin(void) {
	const char *path = getenv("WRITELOG_LOG");
	folder = getenv("WRITELOG_FOLDER");
	acks = getenv("WRITELOG_ACKS");
	if (!path || !folder || !acks) abort();
	folder_length = strlen(folder);
	if (getenv("WRITELOG_SYNCS")) syncs_left = atol(getenv("WRITELOG_SYNCS"));
	log_descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (log_descriptor < 0) abort();
	append(kind_start, 0, 0, NULL, 0);
	places = 0;
}

/* With the lock held. Whether the disk performs this sync; once it has failed it always fails. */
static int disk_syncs(void) {
	if (syncs_left < 0) return 1;
	if (syncs_left == 0) return 0;
	syncs_left--;
	return 1;
}

/* LMDB maps its lock file and writes to it as memory; the file means nothing after the machine was off. */
static int is_watched(const char *path) {
	size_t length = strlen(path);
	if (log_descriptor < 0 || strncmp(path, folder, folder_length) != 0 || path[folder_length] != '/') return 0;
	return length < 5 || strcmp(path + length - 5, "-lock") != 0;
}

static struct descriptor *watched(int fd) {
	if (fd < 0 || fd >= descriptors_max || !descriptors[fd].what) return NULL;
	return &descriptors[fd];
}

/* With the lock held. A number identifies a file while it exists, since inodes are reused. */
static uint32_t number_of(int fd, int created) {
	struct stat about;
	if (fstat(fd, &about) != 0) abort();
	uint32_t at = 0;
	while (at < files_known && (files[at].device != about.st_dev || files[at].inode != about.st_ino)) at++;
	if (at == files_max) abort();
	if (at == files_known) {
		files_known++;
		files[at].device = about.st_dev;
		files[at].inode = about.st_ino;
		created = 1;
	}
	if (created) files[at].file = files_numbered++;
	return files[at].file;
}

static int opened(int folder_fd, const char *path, int flags, mode_t mode) {
	int is_ack = log_descriptor >= 0 && strcmp(path, acks) == 0;
	int in_folder = is_watched(path);
	int is_it = log_descriptor >= 0 && strcmp(path, folder) == 0;
	if (!is_ack && !in_folder && !is_it) return (int)syscall(SYS_openat, folder_fd, path, flags, mode);
	pthread_mutex_lock(&lock);
	int existed = access(path, F_OK) == 0;
	/*
	 * Writes are synced after their entry: a process killed during a synced write would leave bytes that the log does
	 * not have.
	 */
	int unsynced = in_folder ? flags & ~(O_DSYNC | O_SYNC) : flags;
	int fd = (int)syscall(SYS_openat, folder_fd, path, unsynced, mode);
	if (fd >= descriptors_max) abort();
	if (fd >= 0) {
		struct descriptor *one = &descriptors[fd];
		one->what = is_ack ? is_acks : is_it ? is_folder : is_file;
		one->synced_writes = (flags & (O_DSYNC | O_SYNC)) != 0;
		if (one->what == is_file) {
			one->file = number_of(fd, !existed);
			/* Named in every process that opens it, since numbers begin again in each. */
			append(kind_create, one->file, (uint64_t)existed, path, strlen(path));
			if (existed && (flags & O_TRUNC)) append(kind_unseen, one->file, 0, "open with O_TRUNC", 17);
		}
	}
	int error = errno;
	pthread_mutex_unlock(&lock);
	errno = error;
	return fd;
}

static mode_t mode_in(int flags, va_list rest) {
	return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

#define defines_open(name) \
	int name(const char *path, int flags, ...) { \
		va_list rest; \
		va_start(rest, flags); \
		mode_t mode = mode_in(flags, rest); \
		va_end(rest); \
		return opened(AT_FDCWD, path, flags, mode); \
	}
#define defines_openat(name) \
	int name(int at, const char *path, int flags, ...) { \
		va_list rest; \
		va_start(rest, flags); \
		mode_t mode = mode_in(flags, rest); \
		va_end(rest); \
		return opened(at, path, flags, mode); \
	}
defines_open(open)
defines_open(open64)
defines_openat(openat)
defines_openat(openat64)
int __open_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags, 0); }

int close(int fd) {
	if (fd >= 0 && fd < descriptors_max) descriptors[fd].what = 0;
	return (int)syscall(SYS_close, fd);
}

/* The lock is held over the call itself, so that the log has writes in the order in which the file got them. */
static ssize_t wrote(int fd, const struct iovec *parts, int count, off64_t offset) {
	struct descriptor *one = &descriptors[fd];
	pthread_mutex_lock(&lock);
	off64_t at = offset >= 0 ? offset : one->what == is_file ? lseek64(fd, 0, SEEK_CUR) : 0;
	ssize_t size = offset >= 0 ? syscall(SYS_pwritev, fd, parts, (long)count, (long)offset, 0L)
	                           : syscall(SYS_writev, fd, parts, (long)count);
	int error = errno;
	if (size > 0) {
		char *bytes = malloc((size_t)size);
		size_t filled = 0;
		if (!bytes) abort();
		for (int part = 0; part < count && filled < (size_t)size; part++) {
			size_t some = parts[part].iov_len;
			if (some > (size_t)size - filled) some = (size_t)size - filled;
			memcpy(bytes + filled, parts[part].iov_base, some);
			filled += some;
		}
		uint64_t place = append(one->what == is_acks ? kind_ack : kind_write, one->file, (uint64_t)at, bytes, filled);
		if (one->what == is_file && one->synced_writes) {
			if (disk_syncs() && syscall(SYS_fdatasync, fd) == 0) {
				append(kind_persisted, one->file, place, NULL, 0);
			} else {
				size = -1;
				error = EIO;
			}
		}
		free(bytes);
	}
	pthread_mutex_unlock(&lock);
	errno = error;
	return size;
}

ssize_t write(int fd, const void *bytes, size_t length) {
	if (!watched(fd)) return syscall(SYS_write, fd, bytes, length);
	struct iovec whole = { (void *)bytes, length };
	return wrote(fd, &whole, 1, -1);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
	if (!watched(fd)) return syscall(SYS_writev, fd, parts, (long)count);
	return wrote(fd, parts, count, -1);
}

#define defines_pwrite(name) \
	ssize_t name(int fd, const void *bytes, size_t length, off64_t offset) { \
		if (!watched(fd)) return syscall(SYS_pwrite64, fd, bytes, length, (long)offset); \
		struct iovec whole = { (void *)bytes, length }; \
		return wrote(fd, &whole, 1, offset); \
	}
#define defines_pwritev(name) \
	ssize_t name(int fd, const struct iovec *parts, int count, off64_t offset) { \
		if (!watched(fd)) return syscall(SYS_pwritev, fd, parts, (long)count, (long)offset, 0L); \
		return wrote(fd, parts, count, offset); \
	}
defines_pwrite(pwrite)
defines_pwrite(pwrite64)
defines_pwritev(pwritev)
defines_pwritev(pwritev64)

static int resized(int fd, off64_t size) {
	struct descriptor *one = watched(fd);
	if (!one || one->what != is_file) return (int)syscall(SYS_ftruncate, fd, (long)size);
	pthread_mutex_lock(&lock);
	int result = (int)syscall(SYS_ftruncate, fd, (long)size);
	int error = errno;
	if (result == 0) append(kind_size, one->file, (uint64_t)size, NULL, 0);
	pthread_mutex_unlock(&lock);
	errno = error;
	return result;
}

int ftruncate(int fd, off_t size) { return resized(fd, size); }
int ftruncate64(int fd, off64_t size) { return resized(fd, size); }

static int allocated(int fd, int mode, off64_t offset, off64_t length) {
	struct descriptor *one = watched(fd);
	if (one && one->what == is_file) append_unseen(one->file, "fallocate");
	return (int)syscall(SYS_fallocate, fd, mode, (long)offset, (long)length);
}

int fallocate(int fd, int mode, off_t offset, off_t length) { return allocated(fd, mode, offset, length); }
int fallocate64(int fd, int mode, off64_t offset, off64_t length) { return allocated(fd, mode, offset, length); }
int posix_fallocate(int fd, off_t offset, off_t length) { return allocated(fd, 0, offset, length) == 0 ? 0 : errno; }
int posix_fallocate64(int fd, off64_t offset, off64_t length) { return allocated(fd, 0, offset, length) == 0 ? 0 : errno; }

/* A sync makes earlier writes durable; the lock is free meanwhile, since writes go on. */
static int synced(int fd, long call) {
	struct descriptor *one = watched(fd);
	if (!one || one->what == is_acks) return (int)syscall(call, fd);
	pthread_mutex_lock(&lock);
	uint64_t began = one->what == is_file ? append(kind_begin, one->file, 0, NULL, 0) : 0;
	int fails = !disk_syncs();
	pthread_mutex_unlock(&lock);
	int result = fails ? -1 : (int)syscall(call, fd);
	int error = fails ? EIO : errno;
	pthread_mutex_lock(&lock);
	if (result == 0 && one->what == is_file) append(kind_synced, one->file, began, NULL, 0);
	if (result == 0 && one->what == is_folder) append(kind_names, 0, 0, NULL, 0);
	pthread_mutex_unlock(&lock);
	errno = error;
	return result;
}

int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

/* This log does not see writes to mapped memory: it could not judge a store that writes that way. */
static void *mapped(void *address, size_t length, int rights, int flags, int fd, off64_t offset) {
	struct descriptor *one = watched(fd);
	if (one && one->what == is_file && (flags & MAP_SHARED) && (rights & PROT_WRITE)) {
		append_unseen(one->file, "mmap for writing");
	}
	return (void *)syscall(SYS_mmap, address, length, rights, flags, fd, (long)offset);
}

void *mmap(void *address, size_t length, int rights, int flags, int fd, off_t offset) {
	return mapped(address, length, rights, flags, fd, offset);
}
void *mmap64(void *address, size_t length, int rights, int flags, int fd, off64_t offset) {
	return mapped(address, length, rights, flags, fd, offset);
}

int rename(const char *from, const char *to) {
	if (!is_watched(from) && !is_watched(to)) return real(rename)(from, to);
	pthread_mutex_lock(&lock);
	int result = real(rename)(from, to);
	int error = errno;
	if (result == 0) {
		size_t from_length = strlen(from), to_length = strlen(to);
		char *both = malloc(from_length + 1 + to_length);
		if (!both) abort();
		memcpy(both, from, from_length + 1);
		memcpy(both + from_length + 1, to, to_length);
		append(kind_rename, 0, 0, both, from_length + 1 + to_length);
		free(both);
	}
	pthread_mutex_unlock(&lock);
	errno = error;
	return result;
}

int unlink(const char *path) {
	if (!is_watched(path)) return real(unlink)(path);
	pthread_mutex_lock(&lock);
	int result = real(unlink)(path);
	int error = errno;
	if (result == 0) append(kind_remove, 0, 0, path, strlen(path));
	pthread_mutex_unlock(&lock);
	errno = error;
	return result;
}

/*-------------------------------------------------------------------------
 *
 * machine.c
 *		The machine under a test server: its clock can be set, and its power
 *		can be cut.
 *
 * As a library that LD_PRELOAD brings into every process of the server:
 *
 * - gettimeofday(), time() and clock_gettime(CLOCK_REALTIME) add what the file
 *	 MACHINE_CLOCK says.  The file is mapped, and a look at it allocates nothing
 *	 and takes no lock, so that it is safe in a signal handler.  libfaketime is
 *	 not: it reads a file by stdio, and breaks the heap of a backend whose
 *	 timeout comes while it does.
 *
 * - fsync() and fdatasync() copy the file to the directory MACHINE_DISK, where
 *	 its name is its inode and the time of its birth, for inodes are reused.  So
 *	 that directory holds what a disk would hold if the kernel wrote nothing back
 *	 before it had to.  Names are a different matter: what is created, renamed
 *	 and removed is so at once.
 *
 * As a program, while no server runs:
 *
 *	machine save DISK DATA			all files under DATA are on the disk
 *	machine cut DISK DATA PERCENT	each block of 4 kB that is not goes back to
 *									what is, but for PERCENT of them, which the
 *									kernel happened to write back in time
 *
 * Files of settings, *.conf, are not touched: it is the test that writes them.
 *
 *-------------------------------------------------------------------------
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* musl before 1.2.5 */
#ifndef STATX_BTIME
#include <linux/stat.h>
#define statx(...)	syscall(SYS_statx, __VA_ARGS__)
#endif

#define BLOCK 4096

static const char *disk;

/* ----------------------------------------------------------------
 *		The disk
 * ----------------------------------------------------------------
 */

/* Open what the disk holds of a file; -2 for what is no regular file. */
static int
open_copy(int fd)
{
	struct statx st;
	char		path[4096];

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &st) != 0)
		return -1;
	if (!S_ISREG(st.stx_mode))
		return -2;
	if (!(st.stx_mask & STATX_BTIME))
	{
		errno = ENOTSUP;
		return -1;
	}
	snprintf(path, sizeof(path), "%s/%llx-%llx.%x", disk, (unsigned long long) st.stx_ino,
			 (unsigned long long) st.stx_btime.tv_sec, st.stx_btime.tv_nsec);
	return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

/*
 * Bring the copy up to date, in place, so that what was synchronized before is
 * there in every moment.  Under a lock, lest a slow copy overwrites a newer one.
 */
static int
copy_contents(int from, int to)
{
	char		buf[16 * BLOCK];
	off_t		pos = 0;
	ssize_t		n;

	if (flock(to, LOCK_EX) != 0)
		return -1;
	while ((n = pread(from, buf, sizeof(buf), pos)) > 0)
	{
		if (pwrite(to, buf, n, pos) != n)
			return -1;
		pos += n;
	}
	return n < 0 ? -1 : ftruncate(to, pos);
}

#ifndef PROGRAM

/* ----------------------------------------------------------------
 *		The library
 * ----------------------------------------------------------------
 */

/* The clock: at real time, it was set to fake time, and runs at a rate since. */
typedef struct
{
	int64_t		real;			/* microseconds */
	int64_t		fake;
	double		rate;
} setting;

/* Two settings, of which one is in force while the other one is written. */
typedef struct
{
	volatile uint32_t current;
	uint32_t	padding;
	setting		settings[2];
} machine_clock;

static const machine_clock *clock_file;
static int	(*next_clock_gettime) (clockid_t, struct timespec *);
static int	(*next_fsync) (int);
static int	(*next_fdatasync) (int);

__attribute__((constructor))
static void
begin(void)
{
	const char *path = getenv("MACHINE_CLOCK");
	int			fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);

	next_fsync = (int (*) (int)) dlsym(RTLD_NEXT, "fsync");
	next_fdatasync = (int (*) (int)) dlsym(RTLD_NEXT, "fdatasync");
	next_clock_gettime = (int (*) (clockid_t, struct timespec *)) dlsym(RTLD_NEXT, "clock_gettime");
	/* A copy, for the server writes its titles over the environment. */
	disk = getenv("MACHINE_DISK");
	if (disk != NULL)
		disk = strdup(disk);
	if (fd >= 0)
	{
		void	   *map = mmap(NULL, sizeof(machine_clock), PROT_READ, MAP_SHARED, fd, 0);

		if (map != MAP_FAILED)
			clock_file = map;
		close(fd);
	}
}

static int
synchronize(int fd)
{
	char		self[64];
	int			to = open_copy(fd);
	int			from;
	int			result = -1;

	if (to == -2)
		return 0;
	/* The descriptor at hand may be for writing only. */
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	from = open(self, O_RDONLY | O_CLOEXEC);
	if (to >= 0 && from >= 0)
		result = copy_contents(from, to);
	if (to >= 0)
		close(to);
	if (from >= 0)
		close(from);
	return result;
}

int
fsync(int fd)
{
	return disk != NULL ? synchronize(fd) : next_fsync(fd);
}

int
fdatasync(int fd)
{
	return disk != NULL ? synchronize(fd) : next_fdatasync(fd);
}

/* Others' constructors may come before ours. */
int
clock_gettime(clockid_t id, struct timespec *ts)
{
	int			result = next_clock_gettime != NULL ?
		next_clock_gettime(id, ts) : syscall(SYS_clock_gettime, id, ts);

	if (result == 0 && clock_file != NULL && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
	{
		const setting *set = &clock_file->settings[clock_file->current & 1];
		int64_t		real = (int64_t) ts->tv_sec * 1000000 + ts->tv_nsec / 1000;
		int64_t		fake = set->fake + (int64_t) ((real - set->real) * set->rate);

		ts->tv_sec = fake / 1000000;
		ts->tv_nsec = fake % 1000000 * 1000;
	}
	return result;
}

int
gettimeofday(struct timeval *restrict tv, void *restrict tz)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	tv->tv_sec = ts.tv_sec;
	tv->tv_usec = ts.tv_nsec / 1000;
	return 0;
}

time_t
time(time_t *result)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	if (result != NULL)
		*result = ts.tv_sec;
	return ts.tv_sec;
}

#else

/* ----------------------------------------------------------------
 *		The program
 * ----------------------------------------------------------------
 */

static int	percent;

static int
fail(const char *path)
{
	perror(path);
	exit(1);
}

/* Read a block; what is past the end of the file is zero. */
static ssize_t
read_block(int fd, off_t pos, char *block)
{
	ssize_t		n = pread(fd, block, BLOCK, pos);

	if (n >= 0)
		memset(block + n, 0, BLOCK - n);
	return n;
}

/*
 * Give a file the contents of its copy, but for the blocks that were written
 * back.  Those may lie past the end of the copy, which then has a hole.
 */
static void
lose(int fd, int copy, const char *path)
{
	char		now[BLOCK];
	char		before[BLOCK];
	off_t		end = lseek(copy, 0, SEEK_END);
	ssize_t		n;

	for (off_t pos = 0; (n = read_block(fd, pos, now)) > 0; pos += BLOCK)
	{
		if (read_block(copy, pos, before) < 0)
			fail(path);
		if (memcmp(now, before, BLOCK) == 0)
			continue;
		if (rand() % 100 < percent)
		{
			if (pwrite(copy, now, n, pos) != n)
				fail(path);
			if (end < pos + n)
				end = pos + n;
		}
	}
	if (n < 0 || ftruncate(copy, end) != 0 || copy_contents(copy, fd) != 0)
		fail(path);
}

static int
visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	size_t		length = strlen(path);
	int			fd;
	int			copy;

	if (type != FTW_F || !S_ISREG(st->st_mode) ||
		(length > 5 && strcmp(path + length - 5, ".conf") == 0))
		return 0;
	fd = open(path, O_RDWR);
	copy = fd < 0 ? -1 : open_copy(fd);
	if (copy < 0)
		fail(path);
	if (percent < 0)
	{
		if (copy_contents(fd, copy) != 0)
			fail(path);
	}
	else
		lose(fd, copy, path);
	close(fd);
	close(copy);
	return 0;
}

int
main(int argc, char **argv)
{
	if (!(argc == 4 && strcmp(argv[1], "save") == 0) &&
		!(argc == 5 && strcmp(argv[1], "cut") == 0))
	{
		fprintf(stderr, "usage: machine save DISK DATA | cut DISK DATA PERCENT\n");
		return 2;
	}
	disk = argv[2];
	percent = argc == 5 ? atoi(argv[4]) : -1;
	srand(getpid());
	return nftw(argv[3], visit, 50, FTW_PHYS) == 0 ? 0 : 1;
}

#endif

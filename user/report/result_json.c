// SPDX-License-Identifier: MIT
#include "report/result.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/result_fields.h"

/* A report of the longest suite takes some MiB. */
#define LOAD_MAX (64UL << 20)

int result_write(const struct result *r, FILE *f, struct err *e)
{
	fields_write(f, result_fields, r, 0);
	fputc('\n', f);
	if (fflush(f) || ferror(f))
		return err_set(e, -(errno ? errno : EIO), "cannot write the report: %s",
			       strerror(errno ? errno : EIO));
	return 0;
}

static int save_failed(const char *path, int code, struct err *e)
{
	return err_set(e, -code, "cannot write the report '%s': %s", path, strerror(code));
}

/* A pipe or a device is written as it is; it cannot be replaced. */
static int save_in_place(const struct result *r, const char *path, struct err *e)
{
	FILE *f = fopen(path, "we");
	int rc;

	if (!f)
		return save_failed(path, errno, e);
	rc = result_write(r, f, NULL);
	if (fclose(f) && !rc)
		rc = -errno;
	return rc ? save_failed(path, -rc, e) : 0;
}

/* Writes all of @r to @fd, which is closed, and onto the disk. */
static int write_through(const struct result *r, int fd)
{
	FILE *f = fdopen(fd, "w");
	int rc;

	if (!f) {
		rc = -errno;
		close(fd);
		return rc;
	}
	rc = result_write(r, f, NULL);
	if (!rc && fsync(fileno(f)))
		rc = -errno;
	if (fclose(f) && !rc)
		rc = -errno;
	return rc;
}

/* mkstemp() makes files private; a report gets the permissions of any new file. */
static void open_permissions(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	if (fchmod(fd, 0666 & ~mask))
		return; /* some file systems have none to change */
}

static int save_replacing(const struct result *r, const char *path, struct err *e)
{
	char *temporary;
	int fd, rc;

	if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
		return save_failed(path, ENOMEM, e);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		rc = save_failed(path, errno, e);
		goto free_name;
	}
	open_permissions(fd);
	rc = write_through(r, fd);
	if (!rc && rename(temporary, path))
		rc = -errno;
	if (rc) {
		unlink(temporary);
		rc = save_failed(path, -rc, e);
	}
free_name:
	free(temporary);
	return rc;
}

int result_save(const struct result *r, const char *path, struct err *e)
{
	struct stat st;
	char *target;
	int rc;

	if (stat(path, &st))
		return save_replacing(r, path, e);
	if (S_ISDIR(st.st_mode))
		return save_failed(path, EISDIR, e);
	if (!S_ISREG(st.st_mode))
		return save_in_place(r, path, e);
	target = realpath(path, NULL); /* a link stays one: its target is replaced */
	if (!target)
		return save_failed(path, errno, e);
	rc = save_replacing(r, target, e);
	free(target);
	return rc;
}

static int check_schema(const json_t *root, const char *name, struct err *e)
{
	const char *schema = json_string_value(json_object_get(root, "schema"));

	if (!schema)
		return err_set(e, -EINVAL, "'%s' is no report of proctrace: it has no schema",
			       name);
	if (strcmp(schema, RESULT_SCHEMA) != 0)
		return err_set(e, -EINVAL,
			       "'%s' has the schema '%.64s'; this proctrace reads '" RESULT_SCHEMA
			       "'",
			       name, schema);
	return 0;
}

static int fill_result(struct result *r, const json_t *root, const char *name, struct err *e)
{
	struct err why;
	int rc = check_schema(root, name, e);

	if (rc)
		return rc;
	rc = fields_read(result_fields, r, root, &why);
	if (rc)
		return err_set(e, rc, "'%s' is no usable report: %s", name, why.text);
	rc = result_summarise(r);
	return rc ? err_set(e, rc, "not enough memory for the report '%s'", name) : 0;
}

int result_parse(struct result *r, const char *text, size_t len, const char *name, struct err *e)
{
	json_error_t why;
	json_t *root;
	int rc;

	memset(r, 0, sizeof(*r));
	root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	if (!root)
		return err_set(e, -EINVAL, "'%s' is not JSON: line %d: %s", name, why.line,
			       why.text);
	rc = fill_result(r, root, name, e);
	json_decref(root);
	if (rc)
		result_free(r);
	return rc;
}

/* The whole file; *len is how much. NULL: @e says why. */
static char *read_whole(int fd, const char *path, size_t *len, struct err *e)
{
	size_t cap = 0, n = 0;
	char *text = NULL;

	for (;;) {
		ssize_t got;

		if (n == cap) {
			char *more = realloc(text, cap = cap ? 2 * cap : 65536);

			if (!more) {
				err_set(e, -ENOMEM, "not enough memory to read '%s'", path);
				break;
			}
			text = more;
		}
		got = read(fd, text + n, cap - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			err_set(e, -errno, "cannot read '%s': %s", path, strerror(errno));
			break;
		}
		n += (size_t)got;
		*len = n;
		if (!got)
			return text;
		if (n > LOAD_MAX) {
			err_set(e, -EFBIG, "'%s' is too big for a report (more than %lu MiB)", path,
				LOAD_MAX >> 20);
			break;
		}
	}
	free(text);
	return NULL;
}

int result_load(struct result *r, const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;
	size_t len = 0;
	char *text;

	memset(r, 0, sizeof(*r));
	if (fd < 0)
		return err_set(e, -errno, "cannot open '%s': %s", path, strerror(errno));
	text = read_whole(fd, path, &len, e);
	close(fd);
	if (!text)
		return -EIO;
	rc = result_parse(r, text, len, path, e);
	free(text);
	return rc;
}

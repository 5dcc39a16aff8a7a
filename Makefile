EXTENSION = objectid_ext
DATA = extension/objectid_ext--1.0.sql

MODULE_big = objectid_ext
OBJS = objectid_ext.o objectid_gist.o objectid_text.o snowflake_ext.o clock_sequence.o time_range.o digits.o
PGFILEDESC = "objectid_ext - ObjectId type and time-ordered 64-bit ids"

# One subject a file; each runs alone too: make installcheck REGRESS=order
REGRESS = $(sort $(patsubst sql/%.sql,%,$(wildcard sql/*.sql)))
REGRESS_OPTS = --load-extension=objectid_ext
ISOLATION = $(sort $(patsubst specs/%.spec,%,$(wildcard specs/*.spec)))
ISOLATION_OPTS = --load-extension=objectid_ext

# PostgreSQL::Test::Cluster needs IPC::Run (libipc-run-perl on Debian).
ifeq ($(shell perl -MIPC::Run -e 'print 1' 2>/dev/null),1)
TAP_TESTS = 1
else
$(info The TAP tests in t/ are left out: the Perl module IPC::Run is missing.)
endif

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# All files share one header.
$(OBJS): objectid_ext.h

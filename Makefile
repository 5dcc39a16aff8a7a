# Types, operators and generators; tools for administrators
EXTENSION = objectid_ext objectid_ext_tools
DATA = extension/objectid_ext--1.0.sql
# made of the parts below, in this order
DATA_built = extension/objectid_ext_tools--1.0.sql
tools = schema obstacles owners node_ids \
	id_partitions partition_locks create_id_partitions default_rows drop_id_partitions missing_id_partitions maintain_id_partitions partition_layout \
	generator_calls clock_sequences existing_tables conversion_obstacles new_ids convert_to_snowflake convert_to_objectid \
	live_rights live_state live_locks live_definitions live_checks live_check_tables live_partitions live_late \
	live_backfill live_backfill_checks live_fill live_validate live_swap live_run live_steps live_plan

MODULE_big = objectid_ext
OBJS = settings.o shared_memory.o hash.o ticks.o time_range.o \
	objectid_ext.o objectid_gen.o objectid_gist.o objectid_json.o objectid_sel.o objectid_skip.o objectid_sort.o \
	objectid_stats.o objectid_text.o objectid_time.o \
	snowflake_ext.o snowflake_layout.o shard_id.o shard_ledger.o shard_clock.o uuidv7.o digits.o \
	sequence_page.o clock_sequence.o sequence_range.o unsettled.o unsettled_locks.o settled_snowflake.o server_features.o stored_rows.o
PGFILEDESC = "objectid_ext - ObjectId type and time-ordered 64-bit ids"

# Each test also runs alone: make installcheck REGRESS=order
# (in a build outside of the tree, VPATH is the tree)
tests = $(sort $(basename $(notdir $(wildcard $(or $(VPATH),.)/$(1)))))
REGRESS = $(call tests,sql/*.sql)
REGRESS_OPTS = $(EXTENSION:%=--load-extension=%)
ISOLATION = $(call tests,specs/*.spec)
ISOLATION_OPTS = $(REGRESS_OPTS)

# Encoding and locale of the test databases, independent of those of the server
# and the caller.  The TAP tests take theirs from the environment.
ENCODING = UTF8
NO_LOCALE = 1
ifneq ($(filter C.UTF-8 C.utf8,$(shell locale -a 2>/dev/null)),)
export LANG = C.UTF-8
unexport LC_COLLATE LC_CTYPE LC_MONETARY LC_NUMERIC LC_TIME
endif

# PostgreSQL::Test::Cluster needs IPC::Run (libipc-run-perl on Debian), and cannot
# start servers as root.
ifneq ($(shell perl -MIPC::Run -e 'print 1' 2>/dev/null),1)
no_tap = the Perl module IPC::Run is missing
else ifeq ($(shell id -u),0)
no_tap = root cannot start servers
else
TAP_TESTS = 1
endif
ifneq ($(and $(no_tap),$(filter installcheck,$(MAKECMDGOALS))),)
$(info The TAP tests in t/ are skipped: $(no_tap).)
endif

# What "make image" makes
EXTRA_CLEAN = image objectid_ext-*.oci.tar

# No bitcode for inlining by JIT.  From PostgreSQL 16 on, an extension's functions are
# hidden unless SQL calls them, and if one file's are used by an inlined function of
# another, the session ends with "fatal llvm error: Program used external function
# ... which could not be resolved"; so it does with core's ltree.
override with_llvm = no

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

$(DATA_built): $(tools:%=extension/tools/%.sql)
	mkdir -p $(@D)
	cat $^ >$@

# All object files depend on these headers.
$(OBJS): objectid_ext.h ticks.h
sequence_page.o clock_sequence.o sequence_range.o shard_clock.o unsettled.o unsettled_locks.o settled_snowflake.o: sequence_page.h
clock_sequence.o unsettled.o unsettled_locks.o settled_snowflake.o shard_clock.o shard_id.o: unsettled.h
shard_id.o shard_ledger.o: shard_ledger.h shard_clock.h sequence_page.h
shard_clock.o: shard_clock.h
objectid_sel.o objectid_stats.o: objectid_stats.h

# A release archive for PGXN: the committed files, below one directory
release = objectid_ext-$(shell sed -n 's/^    "version": "\(.*\)",$$/\1/p' META.json)
dist:
	git archive --format=zip --prefix=$(release)/ --output=$(release).zip HEAD
.PHONY: dist

# An extension image, as CloudNativePG mounts it: the files in /lib and
# /share/extension, in an OCI archive.  Library and server are of one distribution.
distribution = $(shell . /etc/os-release && echo $${VERSION_CODENAME:-$$ID})
image_name = objectid_ext:$(MAJORVERSION)-$(release:objectid_ext-%=%)-$(distribution)
image = $(release)-pg$(MAJORVERSION)-$(distribution).oci.tar
image: all
	rm -rf image
	mkdir -p image/licenses/objectid_ext
	$(MAKE) install DESTDIR=$(CURDIR)/image pkglibdir=/lib datadir=/share
	cp $(srcdir)/LICENSE image/licenses/objectid_ext
	perl $(srcdir)/scripts/oci_archive image $(image_name) $(image)
.PHONY: image

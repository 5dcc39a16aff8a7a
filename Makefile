# objectid_ext: a type, operators and generators, in C.  The SQL of
# objectid_ext_tools has a makefile of its own in tools/; make, make install and
# make installcheck do both.
EXTENSION = objectid_ext

# In a build outside of the tree, VPATH is the tree.
tree = $(or $(VPATH),.)

# The script of each version, and those that update one to the next
DATA_built = $(notdir $(wildcard $(tree)/extension/objectid_ext--*.sql))

MODULE_big = objectid_ext
OBJS = objectid_ext.o snowflake_ext.o $(patsubst $(tree)/%.c,%.o,$(sort $(wildcard $(tree)/src/*.c)))
PG_CPPFLAGS = -I$(tree)/src
PGFILEDESC = "objectid_ext - ObjectId type and time-ordered 64-bit ids"

REGRESS_OPTS = --load-extension=objectid_ext
include $(tree)/scripts/tests.mk

# What "make image" makes
EXTRA_CLEAN = image objectid_ext-*.oci.tar

# No bitcode for inlining by JIT.  From PostgreSQL 16 on, an extension's functions are
# hidden unless SQL calls them, and if one file's are used by an inlined function of
# another, the session ends with "fatal llvm error: Program used external function
# ... which could not be resolved"; so it does with core's ltree.
override with_llvm = no

# What was built in the tree, for whichever server, would be taken for what is to be
# built here.  Before PGXS, which sets VPATH in the tree, too.
ifneq ($(and $(VPATH),$(wildcard $(VPATH:%=%/objectid_ext.so) $(VPATH:%=%/*.o))),)
all: built-tree
built-tree:
	@echo 'make: the tree $(VPATH) has been built in; run "make clean" there first' >&2; false
.PHONY: built-tree
endif

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# From PostgreSQL 18 on, a full script has what only these servers accept.
$(DATA_built): %.sql: extension/%.sql $(if $(filter 15 16 17,$(MAJORVERSION)),,extension/postgresql-18.sql)
	cat $(if $(findstring --,$(*:objectid_ext--%=%)),$<,$^) >$@

# An absolute path, for in a build outside of the tree VPATH has a folder src, too.
$(OBJS): $(wildcard $(tree)/src/*.h) | $(CURDIR)/src
$(CURDIR)/src:
	mkdir -p $@

# The tools, after the library.  Tests that are named are of sql/, specs/ and t/ here.
all: all-tools
install: install-tools
uninstall: uninstall-tools
clean distclean maintainer-clean: clean-tools
ifeq ($(filter command line,$(origin REGRESS) $(origin ISOLATION) $(origin PROVE_TESTS)),)
installcheck: installcheck-tools
endif
%-tools:
	mkdir -p tools
	$(MAKE) -C tools -f $(abspath $(tree))/tools/Makefile $(VPATH:%=VPATH=$(abspath $(VPATH))/tools) PG_CONFIG=$(PG_CONFIG) $*

# What a vendor runs on each image: half a minute, without the tests that take longest
slow = digits generate mask_snowflake next_snowflake range_estimates shard_id snowflake_range statistics
installcheck-quick:
	$(MAKE) -f $(firstword $(MAKEFILE_LIST)) installcheck ISOLATION= TAP_TESTS= REGRESS="$(filter-out $(slow),$(REGRESS))"
.PHONY: installcheck-quick

# A release archive for PGXN: the committed files, below one directory.  It has the times
# of files in local time, so all builders use the same zone.
release = objectid_ext-$(shell sed -n 's/^    "version": "\(.*\)",$$/\1/p' $(tree)/META.json)
dist:
	TZ=UTC0 git archive --format=zip --prefix=$(release)/ --output=$(release).zip HEAD
.PHONY: dist

# An extension image, as CloudNativePG mounts it: the files in /lib and
# /share/extension, in an OCI archive.  Library and server are of one distribution.
# What names the folder of the build is stripped, so all builders make the same image.
distribution = $(shell . /etc/os-release && echo $${VERSION_CODENAME:-$$ID})
image_name = objectid_ext:$(MAJORVERSION)-$(release:objectid_ext-%=%)-$(distribution)
image = $(release)-pg$(MAJORVERSION)-$(distribution).oci.tar
image: all
	rm -rf image
	mkdir -p image/licenses/objectid_ext
	$(MAKE) install DESTDIR=$(CURDIR)/image pkglibdir=/lib datadir=/share
	$(STRIP) -R .note.gnu.build-id image/lib/objectid_ext.so
	cp $(srcdir)/LICENSE image/licenses/objectid_ext
	perl $(srcdir)/scripts/oci_archive image $(image_name) $(image)
.PHONY: image

# What the makefiles of both extensions say of their tests.  Each test also runs
# alone: make installcheck REGRESS=order

# In a build outside of the tree, VPATH is the tree.
tests = $(sort $(basename $(notdir $(wildcard $(or $(VPATH),.)/$(1)))))
REGRESS = $(call tests,sql/*.sql)
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

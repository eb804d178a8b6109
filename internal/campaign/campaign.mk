# The campaigns of internal/campaign: KILLS in all, half of them on SQLite and half on PostgreSQL; SEED repeats a plan.

KILLS ?= 2000
SEED  ?= 0
# Takes the time for all of it, the tests, and their flags.
CAMPAIGN = REMEDY_REQUIRE_POSTGRES=1 server/ledger/postgres/with-server \
	$(GO) test -tags crashpoint -count=1 -v -timeout $(1) -run '$(2)' ./internal/campaign -args -seed $(SEED) $(3)

.PHONY: campaign-postgres
campaign-postgres:
	@compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || client/conformance/install postgresql

.PHONY: crash
crash: campaign-postgres ## Kill daemons KILLS times (2000), at every crash point and at random, and check what is left.
	$(call CAMPAIGN,6h,^TestCrash,-kills $$(($(KILLS) / 2)))

.PHONY: crash-short
crash-short: KILLS := 100
crash-short: campaign-postgres ## The same with about a hundred kills.
	$(call CAMPAIGN,10m,^TestCrash,-kills $$(($(KILLS) / 2)))

.PHONY: replicas-short
replicas-short: campaign-postgres ## Kill and stop three daemons on one database, and daemons behind a proxy that retries.
	$(call CAMPAIGN,10m,^Test(Replicas|Mesh)$$,-chaos 30s)

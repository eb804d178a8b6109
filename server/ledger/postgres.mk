.PHONY: ledger-postgres
ledger-postgres: ## Run the tests of the PostgreSQL ledger with a server of their own.
	compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || client/conformance/install postgresql
	REMEDY_REQUIRE_POSTGRES=1 server/ledger/postgres/with-server $(GO) test -count=1 -timeout 10m ./server/ledger/postgres ./server/remedyd

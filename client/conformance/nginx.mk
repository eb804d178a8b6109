.PHONY: conformance-nginx
conformance: conformance-nginx
conformance-nginx: ## The same through a default nginx, with Go and Python.
	client/conformance/install nginx python3-grpcio
	CONFORMANCE_REQUIRE=nginx $(GO) test -count=1 -timeout 5m -v -run '^TestNginx' ./client/conformance

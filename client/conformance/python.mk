.PHONY: conformance-python
conformance: conformance-python
conformance-python: ## Read every error with the distribution's own Python gRPC, knowing google.rpc only.
	client/conformance/install python3-grpcio
	CONFORMANCE_REQUIRE=python $(GO) test -count=1 -timeout 5m -v -run '^TestPython' ./client/conformance

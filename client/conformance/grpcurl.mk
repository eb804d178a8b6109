.PHONY: grpcurl-check
grpcurl-check: ## See remedyd as somebody with grpcurl sees it: reflection, and errors decoded.
	@GO='$(GO)' GRPCURL='$(GRPCURL)' client/conformance/grpcurl-check

package shop

import "github.com/remedyrpc/remedy/server"

// Tools returns the tools of a shop.
func Tools(s *Store) []*server.AnyTool {
	return []*server.AnyTool{
		cancelOrder(s), listAvailableSlots(s), bookSlot(s), listPaymentAccounts(s), preparePaymentAuthorization(s), sendPayment(s),
	}
}

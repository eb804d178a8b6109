package provider

// The windows of limits.
const (
	windowRequestsMinute = "requests_per_minute"
	windowTokensMinute   = "tokens_per_minute"
	windowInputMinute    = "input_tokens_per_minute"
	windowOutputMinute   = "output_tokens_per_minute"
	windowRequestsDay    = "requests_per_day"
	windowTokensDay      = "tokens_per_day"
	windowConcurrent     = "concurrent_requests"
	windowFiveHours      = "plan_5h"
	windowWeek           = "plan_week"
)

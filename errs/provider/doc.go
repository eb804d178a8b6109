// Package provider tells what a failed call to a model provider means.
package provider

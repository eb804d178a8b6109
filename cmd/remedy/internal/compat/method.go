package compat

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/remedyrpc/remedy/internal/declared"
)

// Fields of MethodContract, by their numbers.
const (
	fieldErrors    = 1
	fieldHasEffect = 2
	fieldTool      = 3
	fieldKey       = 4
)

func (c *comparison) compareMethods() {
	old, now := methods(c.before), methods(c.after)
	for _, m := range c.before.Methods {
		after := now[m.Method.FullName()]
		switch {
		case m.Contract == nil:
		case after == nil:
			f := &Finding{Kind: MethodRemoved, What: "removed, with its contract; buf breaking says whether that breaks anybody"}
			c.add(f.place(m.Method))
		case after.Contract == nil:
			c.add(contractGone(m, after))
		default:
			c.compareContracts(m, after)
		}
	}
	for _, m := range c.after.Methods {
		before := old[m.Method.FullName()]
		if m.Contract == nil || before != nil && before.Contract != nil {
			continue
		}
		f := &Finding{Kind: ContractAdded, What: "contract added: " + summary(m)}
		if before != nil && m.Contract.GetEffect() {
			f.What += "; clients generated before still take a lost answer of it for an ordinary failure, until they are generated anew"
		}
		c.add(f.place(m.Method, fieldHasEffect))
	}
}

func methods(set *declared.Set) map[protoreflect.FullName]*declared.Method {
	all := make(map[protoreflect.FullName]*declared.Method, len(set.Methods))
	for _, m := range set.Methods {
		all[m.Method.FullName()] = m
	}
	return all
}

// contractGone is refused of a method with an effect: nothing says that it has none now.
func contractGone(before, after *declared.Method) *Finding {
	f := (&Finding{Kind: ContractRemoved, What: "contract removed; it was: " + summary(before)}).place(after.Method)
	if !before.Contract.GetEffect() {
		return f
	}
	return f.refuse("Clients generated now take a lost answer for an ordinary failure and may call again, although the method may have "+
		"changed something.", "keep the contract, and add a new method for what changes nothing")
}

func (c *comparison) compareContracts(before, after *declared.Method) {
	from, to := before.Contract, after.Contract
	switch {
	case !from.GetEffect() && to.GetEffect():
		c.add(changed(ContractEffectChanged, "effect", "false", "true").place(after.Method, fieldHasEffect).refuse(
			"Clients generated before take a lost answer for an ordinary failure, and callers were told that calling again changes nothing: they "+
				"would repeat the effect.",
			"leave the method as it is, and add a new one for what changes something"))
	case from.GetEffect() && !to.GetEffect():
		c.add(changed(ContractEffectChanged, "effect", "true", "false").place(after.Method, fieldHasEffect).refuse(
			"Clients generated now take a lost answer for an ordinary failure and may call again, although servers of before change something.",
			"leave the method as it is, and add a new one that changes nothing"))
	}
	if before.Tool() != after.Tool() {
		c.add(changed(ContractToolChanged, "tool", before.Tool(), after.Tool()).place(after.Method, fieldTool))
	}
	c.compareKey(before, after)
	c.compareLists(before, after)
}

func (c *comparison) compareKey(before, after *declared.Method) {
	from, to := before.Contract.GetOperationKeyField(), after.Contract.GetOperationKeyField()
	if from == to {
		return
	}
	f := changed(ContractKeyChanged, "operation_key_field", from, to).place(after.Method, fieldKey)
	if from != "" {
		f.refuse("Callers built before send the key in "+from+": their retries would not be known for what they are.",
			"keep the field for the key as it is")
	}
	c.add(f)
}

// compareLists compares the errors that contracts list, in any order.
func (c *comparison) compareLists(before, after *declared.Method) {
	var changes []string
	for _, name := range after.Contract.GetErrors() {
		if !slices.Contains(before.Contract.GetErrors(), name) {
			changes = append(changes, "+"+name)
		}
	}
	for _, name := range before.Contract.GetErrors() {
		if !slices.Contains(after.Contract.GetErrors(), name) {
			changes = append(changes, "-"+name)
		}
	}
	if len(changes) > 0 {
		f := &Finding{Kind: ContractErrorsChanged, What: "errors " + strings.Join(changes, ", ")}
		f.From, f.To = strings.Join(before.Contract.GetErrors(), ", "), strings.Join(after.Contract.GetErrors(), ", ")
		c.add(f.place(after.Method, fieldErrors))
	}
}

// summary is a contract on one line.
func summary(m *declared.Method) string {
	text := "tool " + m.Tool() + ", no effect"
	if m.Contract.GetEffect() {
		text = "tool " + m.Tool() + ", with an effect"
	}
	if errors := m.Contract.GetErrors(); len(errors) > 0 {
		text += ", errors " + strings.Join(errors, ", ")
	}
	return text
}

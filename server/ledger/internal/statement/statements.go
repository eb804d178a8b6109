package statement

// Statements are all that a ledger runs, in one dialect.
type Statements struct {
	Claim, Reclaim, Cross, Free, Record, Judge, Progress, Park, Recover, Look, Redo *Statement
	Applied, Close, Sweep, Drop, Forget, Purge, Get, Find                           *Statement

	dialect *Dialect
}

// New writes the statements in a dialect.
func New(d *Dialect) (*Statements, error) {
	s := &Statements{dialect: d}
	for _, each := range s.all() {
		written, err := d.Statement(each.name, each.text)
		if err != nil {
			return nil, err
		}
		*each.at = written
	}
	return s, nil
}

// All returns every statement.
func (s *Statements) All() []*Statement {
	texts := s.all()
	all := make([]*Statement, 0, len(texts))
	for _, each := range texts {
		all = append(all, *each.at)
	}
	return all
}

type text struct {
	at         **Statement
	name, text string
}

func (s *Statements) all() []text {
	return []text{
		{&s.Claim, "claim", claimText},
		{&s.Reclaim, "reclaim", reclaimText},
		{&s.Cross, "cross", crossText},
		{&s.Free, "free", freeText},
		{&s.Record, "record", recordText},
		{&s.Judge, "judge", judgeText},
		{&s.Progress, "progress", progressText},
		{&s.Park, "park", parkText},
		{&s.Recover, "recover", recoverText},
		{&s.Look, "look", lookText},
		{&s.Redo, "redo", redoText},
		{&s.Applied, "applied", appliedText},
		{&s.Close, "close", closeText},
		{&s.Sweep, "sweep", sweepText},
		{&s.Drop, "drop", dropText},
		{&s.Forget, "forget", forgetText},
		{&s.Purge, "purge", purgeText},
		{&s.Get, "get", getText},
		{&s.Find, "find", findText},
	}
}

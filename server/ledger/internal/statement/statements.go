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
		if d.Quiet && each.frequent {
			if written.Quiet, err = d.quietly(each.name, each.text); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// All returns every statement.
func (s *Statements) All() []*Statement {
	texts := s.all()
	all := make([]*Statement, 0, len(texts))
	for _, each := range texts {
		all = append(all, *each.at)
		if quiet := (*each.at).Quiet; quiet != nil {
			all = append(all, quiet)
		}
	}
	return all
}

type text struct {
	at         **Statement
	name, text string
	frequent   bool
}

func (s *Statements) all() []text {
	return []text{
		{&s.Claim, "claim", claimText, true},
		{&s.Reclaim, "reclaim", reclaimText, false},
		{&s.Cross, "cross", crossText, true},
		{&s.Free, "free", freeText, false},
		{&s.Record, "record", recordText, true},
		{&s.Judge, "judge", judgeText, false},
		{&s.Progress, "progress", progressText, false},
		{&s.Park, "park", parkText, false},
		{&s.Recover, "recover", recoverText, false},
		{&s.Look, "look", lookText, false},
		{&s.Redo, "redo", redoText, false},
		{&s.Applied, "applied", appliedText, false},
		{&s.Close, "close", closeText, false},
		{&s.Sweep, "sweep", sweepText, false},
		{&s.Drop, "drop", dropText, false},
		{&s.Forget, "forget", forgetText, false},
		{&s.Purge, "purge", purgeText, false},
		{&s.Get, "get", getText, false},
		{&s.Find, "find", findText, false},
	}
}

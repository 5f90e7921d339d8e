package metrics

import "time"

// ownSecrets are the families about secret values.
type ownSecrets struct{ ended, took *vector }

func (s *ownSecrets) declare(o *Own) {
	s.ended = o.declare(TypeCounter, "berth_secret_resolutions_total", "Questions to secret providers, each about one or more values, by provider and whether all values came.", []string{"provider", "result"})
	s.took = o.declare(TypeHistogram, "berth_secret_resolution_duration_seconds", "Time that a secret provider took to answer a question.", []string{"provider"},
		0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
}

// Resolved counts a question to a secret provider; ok says that every value came.
func (o *Own) Resolved(provider string, ok bool, took time.Duration) {
	o.secrets.ended.add(1, provider, results[ok])
	o.secrets.took.observe(took.Seconds(), provider)
}

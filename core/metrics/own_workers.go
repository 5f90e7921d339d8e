package metrics

import "time"

// ownWorkers are the families about workers' links, of all workers together.
type ownWorkers struct{ states, roundTrip, connections, refused *vector }

func (w *ownWorkers) declare(o *Own) {
	w.states = o.declare(TypeGauge, statesName, "Workers that are registered and not revoked, by state.", []string{"state"})
	w.states.global = true
	w.know(0, 0)
	w.roundTrip = o.declare(TypeHistogram, "berth_link_round_trip_seconds", "Round trip of heartbeats between workers and this server.", nil,
		0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
	w.connections = o.declare(TypeCounter, "berth_worker_connections_total", "Connections of workers, by what became of them: accepted, or why not.", []string{"result"})
	w.refused = o.declare(TypeCounter, "berth_worker_messages_refused_total", "Messages of workers that were about something not their own.", []string{"what"})
	w.connections.add(0, "accepted")
}

// know sets how many workers have a link, and how many have none.
func (w *ownWorkers) know(online, offline int) {
	w.states.replace(map[string]float64{"online": float64(online), "offline": float64(offline)})
}

// RoundTrip measures the answer to a heartbeat.
func (o *Own) RoundTrip(took time.Duration) { o.workers.roundTrip.observe(took.Seconds()) }

// Connection counts what became of a worker's wish for a link: "accepted", or a word for why not.
func (o *Own) Connection(result string) { o.workers.connections.add(1, result) }

// Refused counts a worker's message that was about something not its own; what is a word
// such as "result", never text from outside.
func (o *Own) Refused(what string) { o.workers.refused.add(1, what) }

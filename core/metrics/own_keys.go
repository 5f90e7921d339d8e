package metrics

import "berth/core/keys"

// ownKeys are the families about data keys; told by the hub that leads.
type ownKeys struct{ there, looked, renewed, lost, ended *vector }

func (k *ownKeys) declare(o *Own) {
	k.there = o.declare(TypeGauge, "berth_data_keys", "Data keys of the key ring; told by the hub that leads, as what follows.", nil)
	k.looked = o.declare(TypeGauge, "berth_sealed_values", "Sealed values that the last look at all of them met; absent while there was one data key only, as what follows.", nil)
	k.renewed = o.declare(TypeGauge, "berth_sealed_values_renewed", "How many of them it sealed anew with the active data key.", nil)
	k.lost = o.declare(TypeGauge, "berth_sealed_values_damaged", "How many of them no data key opens.", nil)
	k.ended = o.declare(TypeGauge, "berth_sealed_values_looked_at_timestamp_seconds", "Time when that look ended; absent while it goes on.", nil)
}

// KnowKeys sets what is known about the data keys, of which the ring has so many.
func (o *Own) KnowKeys(ring int, p keys.Pass) {
	k := &o.keys
	k.there.set(float64(ring))
	if p.BeganAt.IsZero() {
		return
	}
	k.looked.set(float64(p.Values))
	k.renewed.set(float64(p.Renewed))
	k.lost.set(float64(p.Lost))
	if p.EndedAt.IsZero() {
		k.ended.end()
		return
	}
	k.ended.set(float64(p.EndedAt.Unix()))
}

// UnknowKeys ends what KnowKeys has said: another hub leads.
func (o *Own) UnknowKeys() {
	k := &o.keys
	for _, v := range []*vector{k.there, k.looked, k.renewed, k.lost, k.ended} {
		v.end()
	}
}

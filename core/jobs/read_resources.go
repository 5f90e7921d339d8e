package jobs

import (
	"math"
	"strconv"
	"strings"
	"time"
)

const (
	maxCPU    = 1024
	minMemory = 6 << 20  // bytes; engines refuse less
	maxMemory = 64 << 40 // bytes
)

func (r reader) resources(d *Definition) {
	r.Section("resources", "cpu", "memory", "timeout")
	d.Resources.CPU = r.cpu()
	d.Resources.Memory = r.memory()
	r.Duration("resources.timeout", &d.Resources.Timeout, time.Second, maxSpan)
	r.require("resources.timeout", d.Resources.Timeout != 0, "how long a run may take, such as 10m")
}

// cpu reads a number of processors, or thousandths of one.
func (r reader) cpu() (cpu float64) {
	switch v := r.At("resources.cpu").(type) {
	case nil:
		r.Complain("resources.cpu", "is required: how many processors a run may use, such as 0.5 or 500m")
		return 0
	case int64:
		cpu = float64(v)
	case float64:
		cpu = v
	case string:
		digits, milli := strings.CutSuffix(v, "m")
		if cpu = decimal(digits); milli {
			cpu /= 1000
		}
	}
	if !(cpu >= 0.01 && cpu <= maxCPU) {
		r.Complain("resources.cpu", "must be a number of processors from 0.01 to %d, such as 0.5 or 500m", maxCPU)
	}
	return cpu
}

// memory reads bytes, or a number with a unit.
func (r reader) memory() (bytes int64) {
	switch v := r.At("resources.memory").(type) {
	case nil:
		r.Complain("resources.memory", "is required: how much memory a run may use, such as 256m or 1g")
		return 0
	case int64:
		bytes = v
	case string:
		bytes = readMemory(v)
	}
	if bytes < minMemory || bytes > maxMemory {
		r.Complain("resources.memory", "must be from 6m to 64t, in bytes or such as 256m, 256Mi or 1g")
	}
	return bytes
}

// units of memory; each is 1024 times the one before.
const units = "kmgt"

// readMemory reads 1024, 256m, 256Mi, 256MB or 1.5g; 0 when it is none of these. As the engine does, it takes each unit for
// 1024 times the one before.
func readMemory(text string) int64 {
	text = strings.ToLower(text)
	digits := strings.TrimRight(text, units+"ib")
	factor := 1.0
	switch unit := text[len(digits):]; {
	case unit == "" || unit == "b":
	case strings.IndexByte(units, unit[0]) >= 0 && (unit[1:] == "" || unit[1:] == "b" || unit[1:] == "i" || unit[1:] == "ib"):
		factor = math.Pow(1024, float64(1+strings.IndexByte(units, unit[0])))
	default:
		return 0
	}
	if bytes := decimal(digits) * factor; bytes <= maxMemory {
		return int64(bytes)
	}
	return 0
}

// decimal reads digits with at most one point between them; 0 when it is anything else.
func decimal(text string) float64 {
	if len(text) > 20 || strings.Trim(text, "0123456789.") != "" || strings.HasPrefix(text, ".") {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return v
}

package host

import (
	"testing"
	"testing/fstest"
)

var files = fstest.MapFS{
	"stat":        {Data: []byte("cpu  100 2 300 4000 5 6 7 8 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n")},
	"loadavg":     {Data: []byte("0.50 1.25 2.00 1/234 5678\n")},
	"meminfo":     {Data: []byte("MemTotal:       2048 kB\nMemFree:  1 kB\nMemAvailable:   1024 kB\n")},
	"self/status": {Data: []byte("Name:\tx\nVmRSS:\t     512 kB\n")},
	"self/stat":   {Data: []byte("42 (a) b) S 1 2 3 4 5 6 7 8 9 10 250 150 0 0\n")},
	"self/fd/0":   {},
	"self/fd/1":   {},
}

func TestMachine(t *testing.T) {
	m := Machine{files}
	if p, ok := m.Processor(); !ok || p["user"] != 1 || p["idle"] != 40 || p["steal"] != 0.08 || len(p) != 8 {
		t.Errorf("Processor = %v, %v", p, ok)
	}
	if load, ok := m.Load(); !ok || load != [3]float64{0.5, 1.25, 2} {
		t.Errorf("Load = %v, %v", load, ok)
	}
	if total, available, ok := m.Memory(); !ok || total != 2<<20 || available != 1<<20 {
		t.Errorf("Memory = %v, %v, %v", total, available, ok)
	}
	if n, ok := m.Resident(); !ok || n != 512<<10 {
		t.Errorf("Resident = %v, %v", n, ok)
	}
	if n, ok := m.OpenFiles(); !ok || n != 2 {
		t.Errorf("OpenFiles = %v, %v", n, ok)
	}
	if n, ok := m.Own(); !ok || n != 4 {
		t.Errorf("Own = %v, %v", n, ok)
	}
}

func TestWhatIsNotThereIsNotZero(t *testing.T) {
	odd := fstest.MapFS{
		"stat": {Data: []byte("cpu 1 2\n")}, "loadavg": {Data: []byte("a b c")}, "meminfo": {Data: []byte("MemTotal: 1 kB\n")},
		"self/status": {Data: []byte("VmRSS:\n")}, "self/stat": {Data: []byte("42 x S")},
	}
	for name, m := range map[string]Machine{"nothing": {fstest.MapFS{}}, "odd": {odd}} {
		_, a := m.Processor()
		_, b := m.Load()
		_, _, c := m.Memory()
		_, d := m.Resident()
		_, e := m.OpenFiles()
		_, f := m.Own()
		if a || b || c || d || e || f {
			t.Errorf("%s: %v %v %v %v %v %v", name, a, b, c, d, e, f)
		}
	}
	if _, _, ok := Disk("/no/such/place"); ok {
		t.Error("a disk that does not exist has a size")
	}
}

func TestThisMachine(t *testing.T) {
	m := New()
	if n, ok := m.Resident(); !ok || n < 1<<20 {
		t.Errorf("Resident = %v, %v", n, ok)
	}
	if n, ok := m.Own(); !ok || n < 0 {
		t.Errorf("Own = %v, %v", n, ok)
	}
	if size, free, ok := Disk(t.TempDir()); !ok || size < free || size == 0 {
		t.Errorf("Disk = %v, %v, %v", size, free, ok)
	}
}

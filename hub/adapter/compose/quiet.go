package compose

import (
	"io"
	"sync"

	"github.com/sirupsen/logrus"
)

// Quieten keeps the Compose libraries from writing to the process's standard error.
// They tell missing variables, outdated keys and orphans to a logger that the whole
// process shares; what matters of that reaches people by other ways. Calling it again
// does nothing.
var Quieten = sync.OnceFunc(func() { logrus.SetOutput(io.Discard) })

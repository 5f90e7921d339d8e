package jobs

import _ "time/tzdata" // the tests do not depend on the host's time zones

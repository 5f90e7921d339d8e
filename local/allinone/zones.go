package allinone

import _ "time/tzdata" // when jobs are due does not depend on what time zones the host knows

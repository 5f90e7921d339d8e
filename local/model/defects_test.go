package model

// defect is a mistake that is made on purpose, to see that the checks find it.
type defect string

const (
	ackBeforeCommit      defect = "the hub acknowledges a result before it is stored"
	redeliveryRunsAgain  defect = "the worker runs what is delivered again"
	restartRunsBlindly   defect = "a worker that was restarted repeats without looking"
	epochIgnored         defect = "the hub goes on to listen to an older link"
	headRecordedFirst    defect = "polling records the head before what follows from it"
	activeWithoutVerify  defect = "the worker reports success without having verified, and the hub believes it"
	journalNotSynced     defect = "a crash takes the last entry of the journal"
	resultPrunedWhenSent defect = "the worker forgets a result that it has sent"
	resultBeforeJournal  defect = "the worker sends a result before it is journaled"
	repeatedResultCounts defect = "a result that comes again counts again"
	restoreIsSuccess     defect = "a restore that succeeded counts as the deployment's success"
)
